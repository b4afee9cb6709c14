// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.DnParser.ParsedDn;
import io.stoa.ldap.schema.ValueFolding.ValueRule;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * DNs that differ only in the value of their RDN, such as those of the people below one entry. The
 * values are plain: see {@link io.stoa.ldap.protocol.RequestScanner}.
 *
 * <p>The directory's schema folds all of them alike, or none of them. So a key needs the folded
 * value only.
 *
 * <p>Octets: 32, an array of 16 with the key, and the parent. The type is that of the schema,
 * unless the schema does not define it.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Two names with equal keys and equal folded values are one entry for the directory.
 *   <li>The names have one parent, and an RDN of one attribute.
 * </ol>
 *
 * <p>Threading: immutable.
 */
public final class SiblingNames {
  private static final int FOLDED = 0;
  private static final int VERBATIM = 1;

  private final byte[] key;
  private final NormalDn parent;
  private final byte[] type;
  private final ValueRule rule;

  private SiblingNames(byte[] key, NormalDn parent, byte[] type, ValueRule rule) {
    this.key = key;
    this.parent = parent;
    this.type = type;
    this.rule = rule;
  }

  /**
   * Returns the siblings of a DN.
   *
   * @param value the plain value of its RDN, as the DN spells it
   * @return null if this is not such a DN
   */
  public static @Nullable SiblingNames of(byte[] dn, byte[] value, ServerProfile profile) {
    Schema schema = profile.schema();
    ParsedDn parsed = DnParser.parse(dn);
    if (parsed == null || parsed.rdns().size() < 2) {
      return null;
    }
    List<ParsedDn.Ava> rdn = parsed.rdns().get(0);
    int typeEnd = indexOf(dn, '=');
    int parentFrom = typeEnd + 1 + value.length + 1;
    if (rdn.size() != 1 || !Arrays.equals(rdn.get(0).value(), value) || parentFrom > dn.length) {
      return null;
    }
    byte[] parentDn = Arrays.copyOfRange(dn, parentFrom, dn.length);
    NormalDn parent = NormalDn.of(parentDn, profile);
    byte[] name = rdn.get(0).type();
    AttributeType type = schema.attributeType(name);
    byte[] typeKey = (type == null ? schema.wideKey(name) : type.key()).array();
    if (type == null || !DnKey.isFolded(dn, parsed, schema)) {
      byte[] spelled = Arrays.copyOf(dn, typeEnd);
      return new SiblingNames(key(VERBATIM, spelled, parentDn), parent, typeKey, ValueRule.EXACT);
    }
    ValueRule rule = type.folding().rule();
    return new SiblingNames(
        key(FOLDED, typeKey, parent.octets().array()),
        parent,
        typeKey,
        rule == ValueRule.IGNORE_CASE_AND_SPACES ? rule : ValueRule.EXACT);
  }

  private static int indexOf(byte[] octets, char wanted) {
    int index = 0;
    while (octets[index] != wanted) {
      index++;
    }
    return index;
  }

  private static byte[] key(int kind, byte[] type, byte[] parent) {
    return new KeyWriter(type.length + parent.length + 6)
        .octet(kind)
        .string(type)
        .string(parent)
        .toByteArray();
  }

  /** Returns the entry above all of them. */
  public NormalDn parent() {
    return parent;
  }

  /** Returns the folding of the values in keys. */
  public ValueRule rule() {
    return rule;
  }

  /** Returns the key of all these DNs without their values. */
  public byte[] key() {
    return key;
  }

  /** Returns the depth of these DNs in the tree. */
  public int depth() {
    return parent.depth() + 1;
  }

  /** Returns the {@link NormalDn#treePosition} of the DN with a value, folded or not. */
  public Octets treePosition(byte[] value) {
    byte[] above = parent.treePosition(parent.depth()).array();
    byte[] text = Ascii.lowerAndSqueeze(value);
    return Octets.of(
        new KeyWriter(above.length + type.length + text.length + 6)
            .raw(above)
            .number(1)
            .string(type)
            .string(text)
            .toByteArray());
  }
}
