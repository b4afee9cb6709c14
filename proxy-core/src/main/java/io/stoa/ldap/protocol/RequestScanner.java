// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static io.stoa.ldap.protocol.FilterTag.AND;
import static io.stoa.ldap.protocol.FilterTag.APPROXIMATE;
import static io.stoa.ldap.protocol.FilterTag.DN_ATTRIBUTES;
import static io.stoa.ldap.protocol.FilterTag.EQUALITY;
import static io.stoa.ldap.protocol.FilterTag.EXTENSIBLE;
import static io.stoa.ldap.protocol.FilterTag.FINAL;
import static io.stoa.ldap.protocol.FilterTag.GREATER_OR_EQUAL;
import static io.stoa.ldap.protocol.FilterTag.INITIAL;
import static io.stoa.ldap.protocol.FilterTag.LESS_OR_EQUAL;
import static io.stoa.ldap.protocol.FilterTag.MATCH_VALUE;
import static io.stoa.ldap.protocol.FilterTag.NOT;
import static io.stoa.ldap.protocol.FilterTag.OR;
import static io.stoa.ldap.protocol.FilterTag.PRESENT;
import static io.stoa.ldap.protocol.FilterTag.RULE;
import static io.stoa.ldap.protocol.FilterTag.SUBSTRINGS;
import static io.stoa.ldap.protocol.FilterTag.TYPE;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Splits search and compare requests into their shape and their values, in one pass and without
 * objects. A repeated request is then found in a table of shapes, and need not be decoded.
 *
 * <p>Only regular requests are split: definite lengths, no unknown components. {@link
 * RequestDecoder} accepts a scanned request exactly if it accepts any other request of its shape.
 * The order and emptiness of substrings, on which {@link Request#irregular} depends, are part of
 * the shape.
 *
 * <p>A compare, and a search of one entry that follows no aliases, name their entry. If the value
 * of its RDN is plain, the DN is split into the RDN's type, its value and the parent. A plain value
 * is printable ASCII, without special characters (RFC 4514, section 2.4) and without a space at
 * either end.
 *
 * <p>Octets: 800 at first, and those of the largest request so far: at most 64 KiB, twice. There is
 * one scanner for each event loop.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Requests with equal shapes and values have equal octets, but for messageID and lengths.
 *   <li>A request that cannot be split has no shape, and the caller decodes it.
 * </ol>
 *
 * <p>Threading: confined to one thread. Values are valid until the next scan.
 */
public final class RequestScanner {
  private static final int NONE = OctetCursor.NONE;
  private static final int BASE_OBJECT = 0;
  private static final int NEVER_DEREF = 0;

  /** Maximum octets of a scanned request: 64 KiB. Larger ones are decoded each time. */
  private static final int MAX_OCTETS = 64 * 1024;

  /**
   * Maximum octets of a shape: 2,048. A result keeps the template of its shape alive, so larger
   * ones are decoded each time, and their octets count for each result.
   */
  private static final int MAX_SHAPE = 2048;

  /** Maximum depth of and, or and not: 50. Deeper filters are decoded each time. */
  private static final int MAX_DEPTH = 50;

  /** Maximum octets of a DN that is split: 4,096. */
  private static final int MAX_DN = 4096;

  /** Maximum octets of the length of a string: 3, since {@link #MAX_OCTETS} bounds it. */
  private static final int MAX_LENGTH_OCTETS = 3;

  private static final byte[] OBJECT_CLASS = {
    'o', 'b', 'j', 'e', 'c', 't', 'c', 'l', 'a', 's', 's'
  };

  private final RequestShape shape = new RequestShape();
  private final OctetCursor cursor = new OctetCursor(new byte[256]);
  private byte[] out = new byte[256];
  private int[] ranges = new int[16];
  private int length;
  private int count;
  private boolean splitsName;

  /** True if the values of this attribute are part of the shape of an equality filter. */
  public static boolean isPartOfShape(byte[] attribute) {
    return isObjectClass(attribute, 0, attribute.length);
  }

  /**
   * Scans the body of a request.
   *
   * @return the shape, which the next scan changes; null if the request cannot be split
   */
  public @Nullable RequestShape scan(LdapMessage message) {
    ByteBuf body = message.body();
    int end = body.readableBytes();
    count = 0;
    if (end > MAX_OCTETS) {
      return null;
    }
    if (cursor.octets.length < end) {
      cursor.octets = new byte[2 * end];
    }
    body.getBytes(body.readerIndex(), cursor.octets, 0, end);
    cursor.at = 0;
    length = 0;
    splitsName = false;
    boolean regular =
        switch (message.type()) {
          case SEARCH_REQUEST -> search(end);
          case COMPARE_REQUEST -> compare(end);
          default -> false;
        };
    if (!regular || length > MAX_SHAPE) {
      return null;
    }
    shape.set(out, length);
    return shape;
  }

  /** Returns the number of values. */
  public int values() {
    return count;
  }

  /** Returns a copy of a value, counted from 0 in the order of the request. */
  public byte[] value(int index) {
    return Arrays.copyOfRange(cursor.octets, ranges[2 * index], ranges[2 * index + 1]);
  }

  /**
   * Returns all values in the order of the request. Each is preceded by its length if there is more
   * than one.
   *
   * @param known octets that are returned if they are equal, to keep them once
   */
  public byte[] allValues(byte[] known) {
    if (count == 1) {
      boolean equal = Arrays.equals(cursor.octets, ranges[0], ranges[1], known, 0, known.length);
      return equal ? known : value(0);
    }
    int octets = 0;
    for (int index = 0; index < 2 * count; index += 2) {
      octets += MAX_LENGTH_OCTETS + ranges[index + 1] - ranges[index];
    }
    byte[] all = new byte[octets];
    int end = 0;
    for (int index = 0; index < 2 * count; index += 2) {
      end = string(all, end, ranges[index], ranges[index + 1]);
    }
    return Arrays.equals(all, 0, end, known, 0, known.length) ? known : Arrays.copyOf(all, end);
  }

  /** Returns a hash of all values, of 31 bits. Clients cannot choose values with equal hashes. */
  public int valuesHash() {
    int hash = 1;
    for (int index = 0; index < 2 * count; index += 2) {
      hash = 31 * hash + Octets.hash(cursor.octets, ranges[index], ranges[index + 1]);
    }
    return hash & Integer.MAX_VALUE;
  }

  /** Forgets the request, since it may hold a secret. */
  public void clear() {
    Arrays.fill(cursor.octets, (byte) 0);
  }

  /** True if the first value is that of the RDN of the entry that the request names. */
  public boolean splitsName() {
    return splitsName;
  }

  private boolean search(int end) {
    int op = enter(OpType.SEARCH_REQUEST.tag(), end);
    int dnEnd = op == NONE ? NONE : enter(BerReader.OCTET_STRING, op);
    if (dnEnd == NONE) {
      return false;
    }
    int dn = cursor.at;
    cursor.at = dnEnd;
    put(OpType.SEARCH_REQUEST.tag());
    int scope = cursor.at;
    if (!content(BerReader.ENUMERATED, op)) {
      return false;
    }
    int deref = cursor.at;
    boolean named = isNumber(BASE_OBJECT, scope, deref);
    if (!content(BerReader.ENUMERATED, op)) {
      return false;
    }
    named &= isNumber(NEVER_DEREF, deref, cursor.at);
    boolean sizeLimit = content(BerReader.INTEGER, op);
    boolean timeLimit = sizeLimit && content(BerReader.INTEGER, op);
    if (!timeLimit || !content(BerReader.BOOLEAN, op)) {
      return false;
    }
    name(dn, dnEnd, named);
    return filter(op, 0) && lastContent(BerReader.SEQUENCE, op) && rest(end);
  }

  private boolean compare(int end) {
    int op = enter(OpType.COMPARE_REQUEST.tag(), end);
    int dnEnd = op == NONE ? NONE : enter(BerReader.OCTET_STRING, op);
    if (dnEnd == NONE) {
      return false;
    }
    put(OpType.COMPARE_REQUEST.tag());
    name(cursor.at, dnEnd, true);
    cursor.at = dnEnd;
    int assertion = enter(BerReader.SEQUENCE, op);
    return assertion == op
        && content(BerReader.OCTET_STRING, op)
        && value(BerReader.OCTET_STRING, op)
        && cursor.at == op
        && rest(end);
  }

  /** True if the element of these octets is a number in its shortest form. */
  private boolean isNumber(int number, int from, int to) {
    return to - from == 3 && cursor.octets[to - 1] == number;
  }

  /** Writes a DN: its RDN's type and its parent if {@code named} and plain, or else all of it. */
  private void name(int from, int to, boolean named) {
    int valueFrom = named && to - from <= MAX_DN ? rdnValue(from, to) : NONE;
    int valueTo = valueFrom == NONE ? NONE : plainEnd(valueFrom, to);
    splitsName = valueTo > valueFrom && valueTo < to - 1 && cursor.octets[valueTo] == ',';
    if (splitsName) {
      put(RequestShape.RDN);
      string(from, valueFrom - 1);
      string(valueTo + 1, to);
      range(valueFrom, valueTo);
    } else {
      put(RequestShape.DN);
      string(from, to);
    }
  }

  /** Returns the index of the RDN's value, which no space precedes, or {@link #NONE}. */
  private int rdnValue(int from, int to) {
    int index = from;
    while (index < to && isTypeOctet(cursor.octets[index])) {
      index++;
    }
    boolean typed = index > from && index < to - 1 && cursor.octets[index] == '=';
    return typed && cursor.octets[index + 1] != ' ' ? index + 1 : NONE;
  }

  private static boolean isTypeOctet(byte octet) {
    return Ascii.isLetter(octet) || Ascii.isDigit(octet) || octet == '-' || octet == '.';
  }

  /** Returns the index after the plain value that begins at an index, or {@link #NONE}. */
  private int plainEnd(int from, int to) {
    int index = from;
    while (index < to && isPlain(cursor.octets[index])) {
      index++;
    }
    return index > from && cursor.octets[index - 1] == ' ' ? NONE : index;
  }

  /** True for a printable ASCII character that is not special in a DN. */
  private static boolean isPlain(byte octet) {
    return switch (octet) {
      case '"', '#', '+', ',', ';', '<', '=', '>', '\\' -> false;
      default -> octet >= ' ' && octet <= '~';
    };
  }

  private boolean filter(int end, int depth) {
    int tag = cursor.tag(end);
    return switch (tag) {
      case AND, OR -> depth < MAX_DEPTH && members(tag, end, depth);
      case NOT -> depth < MAX_DEPTH && negation(end, depth);
      case EQUALITY, GREATER_OR_EQUAL, LESS_OR_EQUAL, APPROXIMATE -> assertion(tag, end);
      case SUBSTRINGS -> substrings(end);
      case PRESENT -> putTag(PRESENT) && content(PRESENT, end);
      case EXTENSIBLE -> extensible(end);
      default -> false;
    };
  }

  private boolean members(int tag, int end, int depth) {
    put(tag);
    int last = enter(tag, end);
    while (cursor.at < last) {
      if (!filter(last, depth + 1)) {
        return false;
      }
    }
    put(RequestShape.END);
    return last != NONE;
  }

  private boolean negation(int end, int depth) {
    put(NOT);
    int last = enter(NOT, end);
    return last != NONE && filter(last, depth + 1) && cursor.at == last;
  }

  private boolean assertion(int tag, int end) {
    put(tag);
    int last = enter(tag, end);
    int nameTo = last == NONE ? NONE : enter(BerReader.OCTET_STRING, last);
    if (nameTo == NONE) {
      return false;
    }
    int nameFrom = cursor.at;
    string(nameFrom, nameTo);
    cursor.at = nameTo;
    if (tag == EQUALITY && isObjectClass(cursor.octets, nameFrom, nameTo)) {
      put(RequestShape.FIXED);
      return lastContent(BerReader.OCTET_STRING, last);
    }
    put(RequestShape.VALUE);
    return value(BerReader.OCTET_STRING, last) && cursor.at == last;
  }

  private static boolean isObjectClass(byte[] octets, int from, int to) {
    if (to - from != OBJECT_CLASS.length) {
      return false;
    }
    for (int index = 0; index < OBJECT_CLASS.length; index++) {
      if (Ascii.lower(octets[from + index]) != OBJECT_CLASS[index]) {
        return false;
      }
    }
    return true;
  }

  private boolean substrings(int end) {
    put(SUBSTRINGS);
    int last = enter(SUBSTRINGS, end);
    if (last == NONE || !content(BerReader.OCTET_STRING, last)) {
      return false;
    }
    int parts = enter(BerReader.SEQUENCE, last);
    while (cursor.at < parts) {
      int tag = cursor.tag(parts);
      int partEnd = tag >= INITIAL && tag <= FINAL ? enter(tag, parts) : NONE;
      if (partEnd == NONE) {
        return false;
      }
      put(tag);
      put(partEnd == cursor.at ? RequestShape.EMPTY_PART : RequestShape.PART);
      if (partEnd > cursor.at) {
        range(cursor.at, partEnd);
      }
      cursor.at = partEnd;
    }
    put(RequestShape.END);
    return parts == last;
  }

  private boolean extensible(int end) {
    put(EXTENSIBLE);
    int last = enter(EXTENSIBLE, end);
    if (last == NONE || !optional(RULE, last) || !optional(TYPE, last)) {
      return false;
    }
    put(MATCH_VALUE);
    if (!value(MATCH_VALUE, last) || !optional(DN_ATTRIBUTES, last)) {
      return false;
    }
    put(RequestShape.END);
    return cursor.at == last;
  }

  private boolean optional(int tag, int end) {
    return cursor.tag(end) != tag || (putTag(tag) && content(tag, end));
  }

  private boolean putTag(int tag) {
    put(tag);
    return true;
  }

  /** Skips an element, and writes its content as a string. */
  private boolean content(int tag, int end) {
    int to = enter(tag, end);
    if (to == NONE) {
      return false;
    }
    string(cursor.at, to);
    cursor.at = to;
    return true;
  }

  private boolean lastContent(int tag, int end) {
    return content(tag, end) && cursor.at == end;
  }

  /** Skips an element whose content is a value. */
  private boolean value(int tag, int end) {
    int to = enter(tag, end);
    if (to == NONE) {
      return false;
    }
    range(cursor.at, to);
    cursor.at = to;
    return true;
  }

  /** Writes the controls as they are. */
  private boolean rest(int end) {
    string(cursor.at, end);
    return true;
  }

  private int enter(int tag, int end) {
    return cursor.enter(tag, end);
  }

  private void range(int from, int to) {
    if (2 * count == ranges.length) {
      ranges = Arrays.copyOf(ranges, 2 * ranges.length);
    }
    ranges[2 * count] = from;
    ranges[2 * count + 1] = to;
    count++;
  }

  private void string(int from, int to) {
    reserve(MAX_LENGTH_OCTETS + to - from);
    length = string(out, length, from, to);
  }

  /** Writes octets of the request after their length, and returns the index after them. */
  private int string(byte[] target, int index, int from, int to) {
    int next = Base128.write(target, index, to - from);
    System.arraycopy(cursor.octets, from, target, next, to - from);
    return next + to - from;
  }

  private void put(int octet) {
    reserve(1);
    out[length++] = (byte) octet;
  }

  private void reserve(int more) {
    if (out.length - length < more) {
      out = Arrays.copyOf(out, 2 * (length + more));
    }
  }
}
