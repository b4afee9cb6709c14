// SPDX-License-Identifier: Apache-2.0
package io.stoa.match;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The place of a DN in the tree, spelled so that equal places have equal octets even where a
 * directory's own rules are not known: after RFC 4518 without regard to letter case. Stateless.
 */
final class DnPath {
  /** What RFC 4518, section 2.2, maps to nothing. */
  private static final Pattern IGNORED =
      Pattern.compile(
          "[\\p{Cf}[\\p{Cc}&&[^\\s\\x85]]\\u034F\\u1806\\u180B-\\u180D\\uFE00-\\uFE0F\\uFFFC]");

  private static final Pattern SPACES = Pattern.compile("[\\p{Z}\\s\\x85]+");

  private DnPath() {}

  /** The topmost RDN first, each self-delimiting: what is above is a prefix. */
  static byte[] of(ParsedDn dn, Schema schema) {
    KeyWriter path = new KeyWriter(64);
    for (int index = dn.rdns().size() - 1; index >= 0; index--) {
      List<byte[]> avas = new ArrayList<>();
      for (ParsedDn.Ava ava : dn.rdns().get(index)) {
        avas.add(ava(ava, schema));
      }
      avas.sort(Arrays::compareUnsigned);
      path.number(avas.size());
      avas.forEach(path::raw);
    }
    return path.toByteArray();
  }

  private static byte[] ava(ParsedDn.Ava ava, Schema schema) {
    byte[] name = schema.wideKey(ava.type()).array();
    byte[] value = text(ava.value());
    return new KeyWriter(name.length + value.length + 4).string(name).string(value).toByteArray();
  }

  private static byte[] text(byte[] value) {
    if (Ascii.isPrintableText(value)) {
      return Ascii.lowerAndSqueeze(value);
    }
    String text = new String(value, StandardCharsets.UTF_8);
    String folded =
        Normalizer.normalize(text, Normalizer.Form.NFKC)
            .toUpperCase(Locale.ROOT)
            .toLowerCase(Locale.ROOT);
    String mapped = Normalizer.normalize(folded, Normalizer.Form.NFKC);
    String spaced = SPACES.matcher(IGNORED.matcher(mapped).replaceAll("")).replaceAll(" ");
    return spaced.strip().getBytes(StandardCharsets.UTF_8);
  }
}
