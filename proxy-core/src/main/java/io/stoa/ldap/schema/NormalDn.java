// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.DnParser.ParsedDn;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A DN in two normal forms.
 *
 * <ol>
 *   <li>{@link #octets()} is for keys. Two spellings are equal only if the directory cannot
 *       distinguish them.
 *   <li>{@link #isBelowOrEqual} is for the tree. Names that any directory may consider equal are
 *       equal. So this form is the safe one for exclusions, routing and invalidation.
 * </ol>
 *
 * <p>Two instances are equal if their octets are equal.
 *
 * <p>Threading: immutable.
 */
public final class NormalDn {
  private final Octets octets;

  /** The position in the tree; null if the octets are not a DN. */
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
   * Returns the DN of an entry after a ModifyDN (RFC 4511, section 4.9). Only its position in the
   * tree may be used.
   *
   * @return null if one of the names is not a DN
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
   * Returns the form for keys: folded where the schema proves equality, otherwise the DN verbatim.
   */
  public Octets octets() {
    return octets;
  }

  /**
   * Returns the position in the tree. The position of an entry is a prefix of the positions of all
   * entries below it. Null if this is not a DN in any spelling.
   */
  public @Nullable Octets treePosition() {
    return path == null ? null : Octets.of(path.octets());
  }

  /**
   * False if this is not a DN in any spelling, such as {@code <SID=...>} or {@code DOMAIN\\user}.
   * Such a name is compared verbatim. Its position in the tree is unknown, so callers that decide
   * by the tree must assume any position.
   */
  public boolean isDn() {
    return path != null;
  }

  /** Returns the number of RDNs; 0 for the root and for a name that is not a DN. */
  public int depth() {
    return path == null ? 0 : path.ends().length;
  }

  public boolean isRoot() {
    return path != null && path.octets().length == 0;
  }

  /**
   * True if any directory may consider this DN equal to {@code ancestor} or below it. Names of
   * types, letter case, runs of spaces, escapes and quotes do not matter. Everything is below the
   * root. A name that is not a DN is below nothing else.
   */
  public boolean isBelowOrEqual(NormalDn ancestor) {
    if (path == null || ancestor.path == null) {
      return ancestor.isRoot() || octets.equals(ancestor.octets);
    }
    return begins(ancestor.path, path, ancestor.depth());
  }

  /** True if any directory may consider this DN below {@code ancestor}, and not equal to it. */
  public boolean isBelow(NormalDn ancestor) {
    return depth() > ancestor.depth() && isBelowOrEqual(ancestor);
  }

  /**
   * True if this DN is below {@code ancestor} by {@link #isBelow}, or may be below it by {@link
   * #isUncertain}.
   */
  public boolean mayBeBelow(NormalDn ancestor) {
    return depth() > ancestor.depth() && (isBelowOrEqual(ancestor) || isUncertain(ancestor));
  }

  /**
   * True if Stoa cannot rule out that this DN is {@code ancestor} or below it. The reason is an
   * unknown matching rule of one of the attributes.
   */
  public boolean isUncertain(NormalDn ancestor) {
    return !(isSure() && ancestor.isSure()) && !isSurelyElsewhere(ancestor);
  }

  /** True if any directory may consider this DN equal to {@code other}. */
  public boolean mayEqual(NormalDn other) {
    return depth() == other.depth() && isBelowOrEqual(other);
  }

  /**
   * True if this DN is certainly equal to {@code ancestor} or below it in the directory of the
   * profile. Stoa must know the matching rules of all attributes in {@code ancestor}.
   */
  public boolean isSurelyBelowOrEqual(NormalDn ancestor) {
    if (ancestor.isRoot() || octets.equals(ancestor.octets)) {
      return true;
    }
    return isPlainTo(ancestor.depth())
        && ancestor.isPlainTo(ancestor.depth())
        && isBelowOrEqual(ancestor);
  }

  /** True if this DN is certainly neither equal to {@code ancestor} nor below it. */
  public boolean isSurelyElsewhere(NormalDn ancestor) {
    if (path == null || ancestor.path == null || octets.equals(ancestor.octets)) {
      return false;
    }
    int sure = Math.min(path.sureDepth(), ancestor.path.sureDepth());
    boolean shorter = sure == depth() && depth() < ancestor.depth();
    return shorter || !begins(ancestor.path, path, sure) || differInType(ancestor.path, path, sure);
  }

  /**
   * True if the RDNs of a level have different types. Values of different types are never equal,
   * under any matching rule.
   */
  private static boolean differInType(DnPath one, DnPath other, int level) {
    boolean known = Math.min(one.knownDepth(), other.knownDepth()) > level;
    return known && !one.typesAt(level).equals(other.typesAt(level));
  }

  /** True if other DNs are equal to this one exactly if their positions are equal. */
  public boolean isPlain() {
    return isPlainTo(depth()) && isDn();
  }

  private boolean isPlainTo(int depth) {
    return path != null && path.plainDepth() >= depth;
  }

  /**
   * Returns the number of RDNs from the top that certainly differ from others with another
   * position.
   *
   * @see #treePosition(int)
   */
  public int sureDepth() {
    return path == null ? 0 : path.sureDepth();
  }

  /** True if a DN with another position is certainly another DN. */
  public boolean isSure() {
    return path != null && path.sureDepth() == depth();
  }

  /**
   * True if the types of all RDNs are known. Other names of these types then lead to the same
   * position.
   */
  public boolean isKnown() {
    return path != null && path.knownDepth() == depth();
  }

  /**
   * Returns the position of the ancestor with {@code depth} RDNs; that of the root if this is not a
   * DN.
   */
  public Octets treePosition(int depth) {
    return path == null || depth == 0
        ? Octets.EMPTY
        : Octets.of(Arrays.copyOf(path.octets(), path.ends()[depth - 1]));
  }

  /**
   * True if every directory folds the text as {@link #foldedText} does. Two such texts are equal
   * exactly if their folded forms are equal.
   */
  public static boolean isPlainText(byte[] text) {
    return DnPath.isPlainText(text);
  }

  /**
   * Returns the folded form. The result is equal for all texts that any directory may consider
   * equal.
   */
  public static byte[] foldedText(byte[] text, boolean ignoringCase) {
    return ignoringCase ? DnPath.text(text) : DnPath.wideText(text, false);
  }

  /** True if both paths have the same first {@code depth} RDNs; false if {@code path} has fewer. */
  private static boolean begins(DnPath ancestor, DnPath path, int depth) {
    if (depth > path.ends().length) {
      return false;
    }
    int end = depth == 0 ? 0 : ancestor.ends()[depth - 1];
    return path.octets().length >= end
        && Arrays.equals(path.octets(), 0, end, ancestor.octets(), 0, end);
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
