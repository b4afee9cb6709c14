// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import io.stoa.ldap.protocol.Ascii;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses DNs of RFC 4514. Accepts also the forms of older clients (quotes, semicolons, the prefix
 * OID., hexadecimal values), and then clears {@code strict}.
 *
 * <p>Threading: confined to one thread; used for one DN.
 */
final class DnParser {
  private static final String SPECIAL = " \"#+,;<=>\\";
  private static final byte[] OLD_PREFIX = {'o', 'i', 'd', '.'};

  private final byte[] octets;
  private int position;
  private boolean strict = true;

  /** The value being read, without escapes. Never longer than the whole DN. */
  private final byte[] value;

  private int length;

  private DnParser(byte[] octets) {
    this.octets = octets;
    value = new byte[octets.length];
  }

  /**
   * A parsed DN, its own RDN first.
   *
   * <p>Threading: immutable.
   *
   * @param strict true if the DN follows RFC 4514, except for spaces around separators; otherwise
   *     directories may interpret it differently
   */
  record ParsedDn(List<List<Ava>> rdns, boolean strict) {

    /**
     * One attribute and its value in an RDN.
     *
     * @param value the value without escapes
     * @param trimmed true if spaces around the value were dropped
     */
    record Ava(byte[] type, byte[] value, boolean trimmed) {}
  }

  /** Parses a DN; null if the octets are not a DN in any form. */
  static @Nullable ParsedDn parse(byte[] octets) {
    return new DnParser(octets).parse();
  }

  private @Nullable ParsedDn parse() {
    List<List<ParsedDn.Ava>> rdns = new ArrayList<>();
    if (octets.length == 0) {
      return new ParsedDn(rdns, true);
    }
    do {
      List<ParsedDn.Ava> rdn = rdn();
      if (rdn == null) {
        return null;
      }
      rdns.add(rdn);
    } while (skipSeparator());
    return position == octets.length ? new ParsedDn(rdns, strict) : null;
  }

  private boolean skipSeparator() {
    strict &= !isAt(';');
    return skip(',') || skip(';');
  }

  private @Nullable List<ParsedDn.Ava> rdn() {
    List<ParsedDn.Ava> avas = new ArrayList<>(1);
    do {
      byte[] type = type();
      ParsedDn.Ava ava = type == null ? null : ava(type);
      if (ava == null) {
        return null;
      }
      avas.add(ava);
    } while (skip('+'));
    return avas;
  }

  private byte @Nullable [] type() {
    skipSpaces();
    int from = position;
    while (position < octets.length && isTypeOctet(octets[position])) {
      position++;
    }
    byte[] type = Ascii.lower(octets, from, position);
    if (type.length >= 4 && Arrays.equals(type, 0, 4, OLD_PREFIX, 0, 4)) {
      strict = false;
      type = Arrays.copyOfRange(type, 4, type.length);
    }
    skipSpaces();
    return type.length > 0 && skip('=') ? type : null;
  }

  private static boolean isTypeOctet(byte octet) {
    return Ascii.isLetter(octet)
        || Ascii.isDigit(octet)
        || octet == '-'
        || octet == '.'
        || octet == '_'
        || octet == ';';
  }

  private ParsedDn.@Nullable Ava ava(byte[] type) {
    boolean trimmed = skipSpaces();
    if (isAt('"')) {
      return quoted(type);
    }
    boolean hex = isAt('#');
    strict &= !hex;
    length = 0;
    int kept = 0;
    while (position < octets.length && !isAt(',') && !isAt('+') && !isAt(';')) {
      boolean space = atSpace();
      if (!octet()) {
        return null;
      }
      kept = space ? kept : length;
    }
    trimmed |= kept < length;
    byte[] text = Arrays.copyOf(value, kept);
    return new ParsedDn.Ava(type, hex ? decodeHex(text) : text, trimmed);
  }

  /** Reads one octet of a value; false if an escape is cut off. */
  private boolean octet() {
    byte octet = octets[position++];
    if (octet != '\\') {
      strict &= octet != '"' && octet != '<' && octet != '>' && !isControl(octet);
      value[length++] = octet;
      return true;
    }
    return escaped();
  }

  /** True for control characters, which some directories treat as spaces. */
  private static boolean isControl(byte octet) {
    return (octet >= 0 && octet < 0x20) || octet == 0x7f;
  }

  private boolean escaped() {
    if (position == octets.length) {
      return false;
    }
    int high = hex(position);
    int low = hex(position + 1);
    if (high >= 0 && low >= 0) {
      position += 2;
      value[length++] = (byte) (high << 4 | low);
      return true;
    }
    strict &= SPECIAL.indexOf(octets[position]) >= 0;
    value[length++] = octets[position++];
    return true;
  }

  /** Reads a value in quotes, the old form. Everything between the quotes belongs to the value. */
  private ParsedDn.@Nullable Ava quoted(byte[] type) {
    strict = false;
    length = 0;
    position++;
    while (position < octets.length && !isAt('"')) {
      if (!octet()) {
        return null;
      }
    }
    if (!skip('"')) {
      return null;
    }
    skipSpaces();
    return new ParsedDn.Ava(type, Arrays.copyOf(value, length), false);
  }

  private int hex(int index) {
    return index < octets.length ? Character.digit(octets[index], 16) : -1;
  }

  /**
   * True at a space of isspace(3). OpenLDAP treats tabs and line ends as spaces; other directories
   * treat the rest of isspace(3) so, too.
   */
  private boolean atSpace() {
    return isAt(' ')
        || (position < octets.length && octets[position] >= '\t' && octets[position] <= '\r');
  }

  private boolean isAt(char octet) {
    return position < octets.length && octets[position] == octet;
  }

  private boolean skip(char octet) {
    boolean there = isAt(octet);
    if (there) {
      position++;
    }
    return there;
  }

  private boolean skipSpaces() {
    int from = position;
    while (atSpace()) {
      strict &= isAt(' ');
      position++;
    }
    return position > from;
  }

  /**
   * Returns the string encoded by {@code #04036c6162} and the like; any other value is returned
   * unchanged.
   */
  private static byte[] decodeHex(byte[] value) {
    if (value.length < 5 || value[0] != '#' || value.length % 2 == 0) {
      return value;
    }
    byte[] ber = new byte[value.length / 2];
    for (int index = 0; index < ber.length; index++) {
      int high = Character.digit(value[2 * index + 1], 16);
      int low = Character.digit(value[2 * index + 2], 16);
      if (high < 0 || low < 0) {
        return value;
      }
      ber[index] = (byte) (high << 4 | low);
    }
    return isString(ber) ? Arrays.copyOfRange(ber, 2, ber.length) : value;
  }

  /**
   * True for OCTET STRING, UTF8String, PrintableString, TeletexString or IA5String with a short
   * length.
   */
  private static boolean isString(byte[] ber) {
    boolean tag = ber[0] == 0x04 || ber[0] == 0x0c || (ber[0] >= 0x13 && ber[0] <= 0x16);
    return tag && ber[1] == ber.length - 2;
  }
}
