// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.DnParser.ParsedDn;
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

  /** Null if no DN. */
  private final @Nullable DnPath path;

  private NormalDn(Octets octets, @Nullable DnPath path) {
    this.octets = octets;
    this.path = path;
  }

  public static NormalDn of(byte[] dn, ServerProfile profile) {
    return of(dn, profile.schema());
  }

  static NormalDn of(byte[] dn, Schema schema) {
    ParsedDn parsed = DnParser.parse(dn);
    DnPath path = parsed == null ? null : DnPath.of(parsed, schema);
    return new NormalDn(Octets.of(DnKey.of(dn, parsed, schema)), path);
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
    DnPath path = DnPath.of(new ParsedDn(rdns, false), profile.schema());
    return new NormalDn(Octets.of(path.octets()), path);
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
    return path == null ? null : Octets.of(path.octets());
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
    return path == null ? 0 : path.ends().length;
  }

  public boolean isRoot() {
    return path != null && path.octets().length == 0;
  }

  /**
   * Whether this is the other one or may be below it, in some directory's eyes: names, letter case,
   * runs of spaces, escapes and quotes do not matter. Everything is below the root; what is no DN
   * is below nothing else.
   */
  public boolean isBelowOrEqual(NormalDn ancestor) {
    if (path == null || ancestor.path == null) {
      return ancestor.isRoot() || octets.equals(ancestor.octets);
    }
    return begins(ancestor.path, path, ancestor.depth());
  }

  /** The same, but for the other one itself. */
  public boolean isBelow(NormalDn ancestor) {
    return depth() > ancestor.depth() && isBelowOrEqual(ancestor);
  }

  /** The same, or not certain. */
  public boolean mayBeBelow(NormalDn ancestor) {
    return depth() > ancestor.depth() && (isBelowOrEqual(ancestor) || isUncertain(ancestor));
  }

  /**
   * Whether nobody can say that this is neither the other one nor below it, since the names are
   * compared in ways that Stoa does not know.
   */
  public boolean isUncertain(NormalDn ancestor) {
    return !(isSure() && ancestor.isSure()) && !isSurelyElsewhere(ancestor);
  }

  /** Whether this may name the same entry as the other one, in some directory's eyes. */
  public boolean mayBe(NormalDn other) {
    return depth() == other.depth() && isBelowOrEqual(other);
  }

  /**
   * Whether this is the other one or below it in the eyes of the directory of the profile, beyond
   * doubt: everything that the other one names is compared in a way that Stoa knows.
   */
  public boolean isSurelyBelowOrEqual(NormalDn ancestor) {
    if (ancestor.isRoot() || octets.equals(ancestor.octets)) {
      return true;
    }
    return isPlainTo(ancestor.depth())
        && ancestor.isPlainTo(ancestor.depth())
        && isBelowOrEqual(ancestor);
  }

  /** Whether this is neither the other one nor below it, beyond doubt. */
  public boolean isSurelyElsewhere(NormalDn ancestor) {
    if (path == null || ancestor.path == null || octets.equals(ancestor.octets)) {
      return false;
    }
    int sure = Math.min(path.sureDepth(), ancestor.path.sureDepth());
    boolean shorter = sure == depth() && depth() < ancestor.depth();
    return shorter || !begins(ancestor.path, path, sure) || differInType(ancestor.path, path, sure);
  }

  /** Values of different types are never equal, however these are compared. */
  private static boolean differInType(DnPath one, DnPath other, int level) {
    boolean known = Math.min(one.knownDepth(), other.knownDepth()) > level;
    return known && !one.typesAt(level).equals(other.typesAt(level));
  }

  /** Whether it is equal to another one exactly if its place is. */
  public boolean isPlain() {
    return isPlainTo(depth()) && isDn();
  }

  private boolean isPlainTo(int depth) {
    return path != null && path.plainDepth() >= depth;
  }

  /**
   * From the top, how many of its RDNs certainly differ from others whose places do.
   *
   * @see #place(int)
   */
  public int sureDepth() {
    return path == null ? 0 : path.sureDepth();
  }

  /** Whether what has another place has certainly another name. */
  public boolean isSure() {
    return path != null && path.sureDepth() == depth();
  }

  /** Whether each of its RDNs names types that are known, so that others have no other place. */
  public boolean isKnown() {
    return path != null && path.knownDepth() == depth();
  }

  /** The place of what is above it, with so many RDNs; that of the root if it is no DN. */
  public Octets place(int depth) {
    return path == null || depth == 0
        ? Octets.EMPTY
        : Octets.of(Arrays.copyOf(path.octets(), path.ends()[depth - 1]));
  }

  /**
   * Whether every directory folds the text as {@link #foldedText} does: then two texts are equal
   * exactly if their folded forms are.
   */
  public static boolean isPlainText(byte[] text) {
    return DnPath.isPlainText(text);
  }

  /** The same for all texts that any directory may take for equal. */
  public static byte[] foldedText(byte[] text, boolean ignoringCase) {
    return ignoringCase ? DnPath.text(text) : DnPath.wideText(text, false);
  }

  /** Whether the first RDNs, so many of them, are the same in both; there may be fewer. */
  private static boolean begins(DnPath above, DnPath path, int depth) {
    if (depth > path.ends().length) {
      return false;
    }
    int end = depth == 0 ? 0 : above.ends()[depth - 1];
    return path.octets().length >= end
        && Arrays.equals(path.octets(), 0, end, above.octets(), 0, end);
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
