// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.Base128;
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
 * The position of a DN in the tree, spelled so that equal DNs have equal octets, even if a
 * directory's own matching rules are unknown. Values are prepared after RFC 4518, without regard to
 * letter case.
 *
 * <p>Threading: immutable; the arrays must not be modified.
 *
 * @param octets the RDNs from the top down, each self-delimiting, so that the path of an ancestor
 *     is a prefix
 * @param ends the index in {@code octets} after each RDN, from the top down
 * @param plainDepth number of RDNs from the top that are equal to others exactly if the octets are
 *     equal
 * @param sureDepth number of RDNs from the top that certainly differ from others if the octets
 *     differ
 * @param knownDepth number of RDNs from the top whose types are all known
 */
record DnPath(byte[] octets, int[] ends, int plainDepth, int sureDepth, int knownDepth) {
  /** Characters that RFC 4518, section 2.2, maps to nothing. */
  private static final Pattern IGNORED =
      Pattern.compile(
          "[\\p{Cf}[\\p{Cc}&&[^\\s\\x85]]\\u034F\\u1806\\u180B-\\u180D\\uFE00-\\uFE0F\\uFFFC]");

  private static final Pattern SPACES = Pattern.compile("[\\p{Z}\\s\\x85]+");

  /**
   * Text that every directory folds alike: ASCII, and composed letters of Latin, Greek and Cyrillic
   * with one counterpart in the other case. Other letters fold to several characters, or
   * differently in different versions of Unicode.
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
   * One attribute and its value, with the type that the schema defines under that name.
   *
   * <p>Threading: immutable.
   *
   * @param type null if the schema does not define the name
   */
  private record Typed(ParsedDn.Ava ava, @Nullable AttributeType type) {
    boolean isSure() {
      return type != null && type.folding().isText();
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
    for (Typed ava : rdn) { // a loop, since a stream is slower and each request passes here
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

  /** Returns the keys of the types in the RDN of a level, counted from 0 at the top. */
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

  /** Reads a number written by {@link KeyWriter#number}. */
  private int number(int[] position) {
    int value = Base128.read(octets, position[0]);
    position[0] = Base128.indexAfter(octets, position[0]);
    return value;
  }

  private static boolean isPlain(Typed typed, Schema schema) {
    ParsedDn.Ava ava = typed.ava();
    AttributeType type = typed.type();
    Pattern form = type == null ? null : type.folding().caseIgnored();
    if (type == null || form == null || !isPlainText(ava.value())) {
      return false;
    }
    boolean valid = form.matcher(new String(ava.value(), StandardCharsets.UTF_8)).matches();
    return valid && (schema.folding().foldsEverything() || isNormal(ava, type));
  }

  /**
   * True if the RDN is in normal form: first name of the type, no superfluous spaces. For 389-ds
   * another name of the type makes another DN. The treatment of spaces by directories other than
   * slapd is unknown.
   */
  private static boolean isNormal(ParsedDn.Ava ava, AttributeType type) {
    return Arrays.equals(ava.type(), type.name().array())
        && Ascii.lowerAndSqueeze(ava.value()).length == ava.value().length;
  }

  /**
   * True if every directory that ignores letter case and runs of spaces folds the value as this
   * class does.
   */
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

  /** Returns a folded text. The folding is coarser than that of any directory. */
  static byte[] wideText(byte[] value, boolean ignoringCase) {
    String text =
        Normalizer.normalize(new String(value, StandardCharsets.UTF_8), Normalizer.Form.NFKC);
    String folded = ignoringCase ? ignoringCase(text) : text;
    String mapped = Normalizer.normalize(folded, Normalizer.Form.NFKC);
    String spaced = SPACES.matcher(IGNORED.matcher(mapped).replaceAll("")).replaceAll(" ");
    return spaced.strip().getBytes(StandardCharsets.UTF_8);
  }

  /** Folds letter case. A dotted capital I becomes an i, as in slapd and in Turkish. */
  private static String ignoringCase(String text) {
    return text.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT).replace("i\u0307", "i");
  }
}
