// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.DnParser.ParsedDn;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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
 * @param knownDepth how many RDNs from the top name types that are known
 */
record DnPath(byte[] octets, int[] ends, int plainDepth, int sureDepth, int knownDepth) {
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
    int known = 0;
    for (int level = 0; level < depth; level++) {
      List<Typed> rdn = typed(dn.rdns().get(depth - 1 - level), schema);
      writeRdn(rdn, schema, path);
      ends[level] = path.length();
      plain += plain == level && dn.strict() && all(rdn, ava -> isPlain(ava, schema)) ? 1 : 0;
      sure += sure == level && dn.strict() && all(rdn, Typed::isSure) ? 1 : 0;
      known += known == level && dn.strict() && all(rdn, Typed::isKnown) ? 1 : 0;
    }
    return new DnPath(path.toByteArray(), ends, plain, sure, known);
  }

  /**
   * One attribute and its value, and what the schema knows by that very name. Immutable.
   *
   * @param type null if it knows nothing
   */
  private record Typed(ParsedDn.Ava ava, @Nullable AttributeType type) {
    boolean isSure() {
      return type != null && type.isText();
    }

    boolean isKnown() {
      return type != null;
    }
  }

  private static List<Typed> typed(List<ParsedDn.Ava> rdn, Schema schema) {
    List<Typed> typed = new ArrayList<>(rdn.size());
    for (ParsedDn.Ava ava : rdn) {
      typed.add(new Typed(ava, schema.attributeType(ava.type())));
    }
    return typed;
  }

  private static boolean all(List<Typed> rdn, Predicate<Typed> test) {
    for (Typed ava : rdn) { // on the path of every request: a stream takes longer
      if (!test.test(ava)) {
        return false;
      }
    }
    return true;
  }

  private static void writeRdn(List<Typed> rdn, Schema schema, KeyWriter path) {
    List<byte[]> avas = new ArrayList<>(rdn.size());
    for (Typed ava : rdn) {
      avas.add(ava(ava, schema));
    }
    avas.sort(Arrays::compareUnsigned);
    path.number(avas.size());
    avas.forEach(path::raw);
  }

  private static byte[] ava(Typed ava, Schema schema) {
    AttributeType type = ava.type();
    Octets key = type == null ? schema.wideKey(ava.ava().type()) : type.key();
    byte[] name = key.array();
    byte[] value = text(ava.ava().value());
    return new KeyWriter(name.length + value.length + 4).string(name).string(value).toByteArray();
  }

  /** The names in the RDN of that level, counted from 0 at the top: those of its octets. */
  List<Octets> typesAt(int level) {
    int[] position = {level == 0 ? 0 : ends[level - 1]};
    List<Octets> types = new ArrayList<>();
    for (int count = number(position); count > 0; count--) {
      types.add(string(position));
      string(position);
    }
    return types;
  }

  private Octets string(int[] position) {
    int length = number(position);
    position[0] += length;
    return Octets.of(Arrays.copyOfRange(octets, position[0] - length, position[0]));
  }

  /** As {@link KeyWriter#number} writes it. */
  private int number(int[] position) {
    int value = 0;
    int shift = 0;
    byte octet;
    do {
      octet = octets[position[0]++];
      value |= (octet & 0x7F) << shift;
      shift += 7;
    } while (octet < 0);
    return value;
  }

  private static boolean isPlain(Typed typed, Schema schema) {
    ParsedDn.Ava ava = typed.ava();
    AttributeType type = typed.type();
    Pattern form = type == null ? null : type.caseIgnored();
    if (type == null || form == null || !isPlainText(ava.value())) {
      return false;
    }
    boolean valid = form.matcher(new String(ava.value(), StandardCharsets.UTF_8)).matches();
    return valid && (schema.folding().everything() || isNormal(ava, type));
  }

  /** For 389-ds another name of the type makes another DN, and of spaces it is not known. */
  private static boolean isNormal(ParsedDn.Ava ava, AttributeType type) {
    return Arrays.equals(ava.type(), type.name().array())
        && Ascii.lowerAndSqueeze(ava.value()).length == ava.value().length;
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
    return Ascii.isPrintableText(value) ? Ascii.lowerAndSqueeze(value) : wideText(value, true);
  }

  /** Coarser than what any directory makes of text. */
  static byte[] wideText(byte[] value, boolean ignoringCase) {
    String text =
        Normalizer.normalize(new String(value, StandardCharsets.UTF_8), Normalizer.Form.NFKC);
    String folded = ignoringCase ? ignoringCase(text) : text;
    String mapped = Normalizer.normalize(folded, Normalizer.Form.NFKC);
    String spaced = SPACES.matcher(IGNORED.matcher(mapped).replaceAll("")).replaceAll(" ");
    return spaced.strip().getBytes(StandardCharsets.UTF_8);
  }

  /** For slapd, and in Turkish, an I with a dot is an I. */
  private static String ignoringCase(String text) {
    return text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT).replace("i\u0307", "i");
  }
}
