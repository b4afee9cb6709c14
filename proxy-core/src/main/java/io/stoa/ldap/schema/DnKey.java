// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.schema.DnParser.ParsedDn;
import io.stoa.ldap.schema.ValueFolding.ValueRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the octets that represent a DN in cache keys, in one of two forms.
 *
 * <ol>
 *   <li>A folded key begins with a zero octet and the number of RDNs.
 *   <li>A verbatim key is the DN itself. Two zero octets precede a DN that begins with a zero
 *       octet.
 * </ol>
 *
 * <p>The two forms can never be equal.
 *
 * <p>Threading: stateless.
 */
public final class DnKey {
  /**
   * Maximum octets of a DN that is folded: 8,192. slapd rejects a longer DN, which must not share a
   * key with a DN that slapd accepts.
   */
  private static final int MAX_FOLDED_LENGTH = 8192;

  private DnKey() {}

  public static byte[] of(byte[] dn, Schema schema) {
    return schema.folding().foldsEverything() ? of(dn, DnParser.parse(dn), schema) : verbatim(dn);
  }

  public static byte[] of(byte[] dn, @Nullable ParsedDn parsed, Schema schema) {
    byte[] folded = parsed == null ? null : folded(dn, parsed, schema);
    return folded == null ? verbatim(dn) : folded;
  }

  /** True if the key of the DN is folded. */
  static boolean isFolded(byte[] dn, ParsedDn parsed, Schema schema) {
    return folded(dn, parsed, schema) != null;
  }

  private static byte[] verbatim(byte[] dn) {
    boolean ambiguous = dn.length > 0 && dn[0] == 0;
    return ambiguous ? new KeyWriter(dn.length + 2).octet(0).octet(0).raw(dn).toByteArray() : dn;
  }

  private static byte @Nullable [] folded(byte[] dn, ParsedDn parsed, Schema schema) {
    boolean foldable = schema.folding().foldsEverything() && parsed.strict();
    if (!foldable || dn.length == 0 || dn.length > MAX_FOLDED_LENGTH) {
      return null;
    }
    KeyWriter key = new KeyWriter(dn.length + 16).octet(0).number(parsed.rdns().size());
    for (List<ParsedDn.Ava> rdn : parsed.rdns()) {
      List<byte[]> avas = avas(rdn, schema);
      if (avas == null) {
        return null;
      }
      key.number(avas.size());
      avas.forEach(key::raw);
    }
    return key.toByteArray();
  }

  /**
   * Returns the sorted keys of the attributes of an RDN. Duplicates are kept, since a directory
   * rejects an RDN that names an attribute twice.
   */
  private static @Nullable List<byte[]> avas(List<ParsedDn.Ava> rdn, Schema schema) {
    List<byte[]> avas = new ArrayList<>(rdn.size());
    for (ParsedDn.Ava ava : rdn) {
      byte[] key = ava(ava, schema);
      if (key == null) {
        return null;
      }
      avas.add(key);
    }
    avas.sort(Arrays::compareUnsigned);
    return avas;
  }

  private static byte @Nullable [] ava(ParsedDn.Ava ava, Schema schema) {
    AttributeType type = schema.attributeType(ava.type());
    if (type == null) {
      return null;
    }
    boolean text = type.folding().rule() == ValueRule.IGNORE_CASE_AND_SPACES;
    boolean folds = text && Ascii.isPrintableText(ava.value());
    if (ava.trimmed() && !folds) {
      return null;
    }
    byte[] value = folds ? Ascii.lowerAndSqueeze(ava.value()) : ava.value();
    byte[] name = type.key().array();
    return new KeyWriter(name.length + value.length + 4).string(name).string(value).toByteArray();
  }
}
