// SPDX-License-Identifier: Apache-2.0
package io.stoa.match;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The place of a DN in the tree, spelled so that equal places have equal octets even where a
 * directory's own rules are not known: after RFC 4518 without regard to letter case. Immutable, as
 * long as nobody modifies the arrays.
 *
 * @param octets the topmost RDN first, each self-delimiting: what is above is a prefix
 * @param ends where each RDN ends in the octets, the topmost first
 * @param plainDepth how many RDNs from the top are equal to others exactly if the octets are
 * @param sureDepth how many RDNs from the top are certainly not equal to others if the octets
 *     differ
 */
record DnPath(byte[] octets, int[] ends, int plainDepth, int sureDepth) {
  /** What RFC 4518, section 2.2, maps to nothing. */
  private static final Pattern IGNORED =
      Pattern.compile(
          "[\\p{Cf}[\\p{Cc}&&[^\\s\\x85]]\\u034F\\u1806\\u180B-\\u180D\\uFE00-\\uFE0F\\uFFFC]");

  private static final Pattern SPACES = Pattern.compile("[\\p{Z}\\s\\x85]+");

  /**
   * Letters that every directory folds alike: composed ones with one counterpart in the other case,
   * of Latin, Greek and Cyrillic. Those left out fold to more than one character, or differently
   * from one version of Unicode to the next.
   */
  private static final Pattern PLAIN =
      Pattern.compile(
          "[ -~\\u00C0-\\u00D6\\u00D8-\\u00DE\\u00E0-\\u00F6\\u00F8-\\u012F"
              + "\\u0139-\\u013E\\u0141-\\u0148\\u014A-\\u0177\\u0179-\\u017E"
              + "\\u0391-\\u03A1\\u03A4-\\u03A9\\u03B1-\\u03C1\\u03C4-\\u03C9\\u0410-\\u044F]*");

  static DnPath of(ParsedDn dn, Schema schema) {
    int depth = dn.rdns().size();
    KeyWriter path = new KeyWriter(64);
    int[] ends = new int[depth];
    int plain = 0;
    int sure = 0;
    for (int level = 0; level < depth; level++) {
      List<ParsedDn.Ava> rdn = dn.rdns().get(depth - 1 - level);
      writeRdn(rdn, schema, path);
      ends[level] = path.length();
      plain += plain == level && dn.strict() && all(rdn, ava -> isPlain(ava, schema)) ? 1 : 0;
      sure += sure == level && dn.strict() && all(rdn, ava -> isSure(ava, schema)) ? 1 : 0;
    }
    return new DnPath(path.toByteArray(), ends, plain, sure);
  }

  private static boolean all(List<ParsedDn.Ava> rdn, Predicate<ParsedDn.Ava> test) {
    return rdn.stream().allMatch(test);
  }

  private static void writeRdn(List<ParsedDn.Ava> rdn, Schema schema, KeyWriter path) {
    List<byte[]> avas = new ArrayList<>();
    for (ParsedDn.Ava ava : rdn) {
      avas.add(ava(ava, schema));
    }
    avas.sort(Arrays::compareUnsigned);
    path.number(avas.size());
    avas.forEach(path::raw);
  }

  private static byte[] ava(ParsedDn.Ava ava, Schema schema) {
    byte[] name = schema.wideKey(ava.type()).array();
    byte[] value = text(ava.value());
    return new KeyWriter(name.length + value.length + 4).string(name).string(value).toByteArray();
  }

  private static boolean isSure(ParsedDn.Ava ava, Schema schema) {
    AttributeType type = schema.attributeType(ava.type());
    return type != null && type.ignoresCase();
  }

  /** Where it is not known what a directory makes of spaces, there must be none to fold. */
  private static boolean isPlain(ParsedDn.Ava ava, Schema schema) {
    AttributeType type = schema.attributeType(ava.type());
    if (type == null || !type.ignoresCase() || !isPlainText(ava.value())) {
      return false;
    }
    return type.rule() == AttributeType.ValueRule.IGNORE_CASE_AND_SPACES
        || Ascii.lowerAndSqueeze(ava.value()).length == ava.value().length;
  }

  /** Whether every directory that ignores letter case and runs of spaces folds it as this does. */
  static boolean isPlainText(byte[] value) {
    if (Ascii.isPrintableText(value)) {
      return true;
    }
    String text = new String(value, StandardCharsets.UTF_8);
    return PLAIN.matcher(text).matches() && !text.isBlank();
  }

  static byte[] text(byte[] value) {
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
