// SPDX-License-Identifier: Apache-2.0
package io.stoa.match;

import io.stoa.ldap.Octets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A DN in two normal forms. {@link #octets()} is for keys: equal only if the directory cannot tell
 * the two spellings apart. {@link #isBelowOrEqual} is for trees: whatever some directory may take
 * for the same place is the same, so it is the safe one for exclusions, routing and invalidation.
 *
 * <p>Immutable. Equal if the octets are.
 */
public final class NormalDn {
  private final Octets octets;

  /** Self-delimiting RDNs, the topmost first, so what is above is a prefix; null if no DN. */
  private final byte @Nullable [] path;

  private final int depth;

  private NormalDn(Octets octets, byte @Nullable [] path, int depth) {
    this.octets = octets;
    this.path = path;
    this.depth = depth;
  }

  public static NormalDn of(byte[] dn, ServerProfile profile) {
    return of(dn, profile.schema());
  }

  static NormalDn of(byte[] dn, Schema schema) {
    ParsedDn parsed = DnParser.parse(dn);
    byte[] path = parsed == null ? null : DnPath.of(parsed, schema);
    int depth = parsed == null ? 0 : parsed.rdns().size();
    return new NormalDn(Octets.of(DnKey.of(dn, parsed, schema)), path, depth);
  }

  /**
   * The name of an entry after a ModifyDN (RFC 4511, section 4.9), of which only the place in the
   * tree counts.
   *
   * @return null if one of the names is no DN
   */
  public static @Nullable NormalDn moved(
      byte[] entry, byte[] newRdn, byte @Nullable [] newSuperior, ServerProfile profile) {
    ParsedDn old = DnParser.parse(entry);
    ParsedDn rdn = DnParser.parse(newRdn);
    ParsedDn superior = newSuperior == null ? parent(old) : DnParser.parse(newSuperior);
    if (rdn == null || superior == null) {
      return null;
    }
    List<List<ParsedDn.Ava>> rdns = new ArrayList<>(rdn.rdns());
    rdns.addAll(superior.rdns());
    byte[] path = DnPath.of(new ParsedDn(rdns, false), profile.schema());
    return new NormalDn(Octets.of(path), path, rdns.size());
  }

  private static @Nullable ParsedDn parent(@Nullable ParsedDn dn) {
    return dn == null || dn.rdns().isEmpty()
        ? null
        : new ParsedDn(dn.rdns().subList(1, dn.rdns().size()), dn.strict());
  }

  /**
   * The form for keys: folded by the schema where it proves equality, otherwise the DN verbatim.
   */
  public Octets octets() {
    return octets;
  }

  /**
   * The place in the tree: that of an entry begins those of all entries below it. Null for what is
   * no DN in any spelling.
   */
  public @Nullable Octets place() {
    return path == null ? null : Octets.of(path);
  }

  /**
   * False for what is no DN in any spelling, such as {@code <SID=...>} or {@code DOMAIN\\user}: it
   * is compared verbatim, and where it lies in the tree is not known. Who decides by the tree has
   * to take it for anywhere.
   */
  public boolean isDn() {
    return path != null;
  }

  /** How many RDNs it has; 0 for the root, and for what is no DN. */
  public int depth() {
    return depth;
  }

  public boolean isRoot() {
    return path != null && path.length == 0;
  }

  /**
   * Whether this is the other one or may be below it, in some directory's eyes: names, letter case,
   * runs of spaces, escapes and quotes do not matter. Everything is below the root; what is no DN
   * is below nothing else.
   */
  public boolean isBelowOrEqual(NormalDn ancestor) {
    byte[] above = ancestor.path;
    if (path == null || above == null) {
      return ancestor.isRoot() || octets.equals(ancestor.octets);
    }
    return path.length >= above.length
        && Arrays.equals(path, 0, above.length, above, 0, above.length);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NormalDn that && octets.equals(that.octets);
  }

  @Override
  public int hashCode() {
    return octets.hashCode();
  }

  @Override
  public String toString() {
    return "NormalDn[" + octets.length() + "]";
  }
}
