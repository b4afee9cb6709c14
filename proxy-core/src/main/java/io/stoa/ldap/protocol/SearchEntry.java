// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decoded view of a SearchResultEntry (RFC 4511, section 4.5.2). Its structure is checked
 * completely. Values stay encoded, so that a response can be assembled by copying.
 *
 * <p>Threading: immutable; the arrays must not be modified.
 */
public final class SearchEntry {
  private final byte[] dn;
  private final List<AttributeOctets> attributes;

  private SearchEntry(byte[] dn, List<AttributeOctets> attributes) {
    this.dn = dn;
    this.attributes = List.copyOf(attributes);
  }

  /**
   * An attribute of a parsed entry.
   *
   * @param type the attribute description as the server spelled it
   * @param encoded the whole PartialAttribute element: description and values
   */
  public record AttributeOctets(byte[] type, byte[] encoded) {

    /** Returns copies of the values in the server's order; empty for a typesOnly search. */
    public List<byte[]> values() {
      try {
        BerReader reader = new BerReader(encoded, ProtocolError.MALFORMED_RESPONSE);
        reader.enter(BerReader.SEQUENCE);
        reader.skip(BerReader.OCTET_STRING);
        reader.enter(BerReader.SET);
        return reader.listOf(value -> value.octets(BerReader.OCTET_STRING), Integer.MAX_VALUE);
      } catch (LdapProtocolException e) {
        throw new IllegalStateException("an entry is checked when it is parsed", e);
      }
    }

    /** Returns a copy of the single value; null if there is no value or more than one. */
    public byte @Nullable [] only() {
      List<byte[]> values = values();
      return values.size() == 1 ? values.get(0) : null;
    }
  }

  /**
   * Parses an entry. Components that RFC 4511 does not define are rejected, although receivers may
   * ignore them: such an entry cannot be assembled again from its parts.
   *
   * @param op the whole protocolOp
   */
  public static SearchEntry parse(byte[] op) throws LdapProtocolException {
    BerReader reader = new BerReader(op, ProtocolError.MALFORMED_RESPONSE);
    int outer = reader.enter(OpType.SEARCH_RESULT_ENTRY.tag());
    byte[] dn = reader.octets(BerReader.OCTET_STRING);
    int list = reader.enter(BerReader.SEQUENCE);
    List<AttributeOctets> attributes = reader.listOf(SearchEntry::attribute, Integer.MAX_VALUE);
    reader.finish(list);
    reader.finish(outer);
    reader.expectEnd();
    return new SearchEntry(dn, attributes);
  }

  /** Receives the attribute descriptions of an entry. */
  public interface TypeListener {
    /** Called with the description {@code op[from..to)}. */
    void onType(byte[] op, int from, int to);
  }

  /**
   * Checks an entry as {@link #parse} does, and names its attributes, without a copy of them.
   *
   * @param op the whole protocolOp
   * @return false if it is malformed
   */
  public static boolean check(byte[] op, TypeListener listener) {
    OctetCursor cursor = new OctetCursor(op);
    int end = cursor.enter(OpType.SEARCH_RESULT_ENTRY.tag(), op.length);
    if (end != op.length || !cursor.skip(BerReader.OCTET_STRING, end)) {
      return false;
    }
    int list = cursor.enter(BerReader.SEQUENCE, end);
    while (cursor.at < list) {
      if (!checkAttribute(cursor, list, listener)) {
        return false;
      }
    }
    return list == end;
  }

  private static boolean checkAttribute(OctetCursor cursor, int list, TypeListener listener) {
    int attribute = cursor.enter(BerReader.SEQUENCE, list);
    int type =
        attribute == OctetCursor.NONE ? attribute : cursor.enter(BerReader.OCTET_STRING, attribute);
    if (type == OctetCursor.NONE) {
      return false;
    }
    listener.onType(cursor.octets, cursor.at, type);
    cursor.at = type;
    int values = cursor.enter(BerReader.SET, attribute);
    while (cursor.at < values) {
      if (!cursor.skip(BerReader.OCTET_STRING, values)) {
        return false;
      }
    }
    return values == attribute;
  }

  /** Returns a copy of the DN in a SearchResultEntry that has been checked. */
  public static byte[] dn(byte[] op) {
    int from = dnIndex(op);
    return Arrays.copyOfRange(op, from, from + dnLength(op));
  }

  /**
   * Returns the index of the DN in a SearchResultEntry that has been parsed. Its length is {@link
   * #dnLength}.
   */
  public static int dnIndex(byte[] op) {
    int dn = 1 + lengthOctets(op[1]);
    return dn + 1 + lengthOctets(op[dn + 1]);
  }

  /** Returns the octets of the DN in a SearchResultEntry that has been parsed. */
  public static int dnLength(byte[] op) {
    int at = 2 + lengthOctets(op[1]);
    int first = op[at];
    int length = Math.max(0, first);
    for (int index = at + 1; index < at + lengthOctets(op[at]); index++) {
      length = length << Byte.SIZE | (op[index] & 0xFF);
    }
    return length;
  }

  private static int lengthOctets(byte first) {
    return first >= 0 ? 1 : 1 + (first & 0x7F);
  }

  /** Returns a protocolOp with these attributes in this order. */
  public static byte[] encode(byte[] dn, List<byte[]> encodedAttributes) {
    int size = encodedAttributes.stream().mapToInt(attribute -> attribute.length).sum();
    int content = elementSize(dn.length) + elementSize(size);
    byte[] op = new byte[elementSize(content)];
    int index = header(op, 0, OpType.SEARCH_RESULT_ENTRY.tag(), content);
    index = header(op, index, BerReader.OCTET_STRING, dn.length);
    index = copy(dn, op, index);
    index = header(op, index, BerReader.SEQUENCE, size);
    for (byte[] attribute : encodedAttributes) {
      index = copy(attribute, op, index);
    }
    return op;
  }

  /** Returns a PartialAttribute with these values in this order. */
  public static byte[] encodeAttribute(byte[] type, List<byte[]> values) {
    int size = 0;
    for (byte[] value : values) {
      size += elementSize(value.length);
    }
    int content = elementSize(type.length) + elementSize(size);
    byte[] attribute = new byte[elementSize(content)];
    int index = header(attribute, 0, BerReader.SEQUENCE, content);
    index = header(attribute, index, BerReader.OCTET_STRING, type.length);
    index = copy(type, attribute, index);
    index = header(attribute, index, BerReader.SET, size);
    for (byte[] value : values) {
      index = header(attribute, index, BerReader.OCTET_STRING, value.length);
      index = copy(value, attribute, index);
    }
    return attribute;
  }

  /** Returns the DN as the server spelled it. */
  public byte[] dn() {
    return dn;
  }

  /** Returns the attributes in the server's order. */
  public List<AttributeOctets> attributes() {
    return attributes;
  }

  /**
   * Returns a copy of the single value of an attribute; null if there is no value or more than one.
   */
  public byte @Nullable [] only(String type) {
    for (AttributeOctets attribute : attributes) {
      if (type.equalsIgnoreCase(new String(attribute.type(), StandardCharsets.ISO_8859_1))) {
        return attribute.only();
      }
    }
    return null;
  }

  private static AttributeOctets attribute(BerReader reader) throws LdapProtocolException {
    int start = reader.index();
    int outer = reader.enter(BerReader.SEQUENCE);
    byte[] type = reader.octets(BerReader.OCTET_STRING);
    int values = reader.enter(BerReader.SET);
    while (reader.hasMore()) {
      reader.skip(BerReader.OCTET_STRING);
    }
    reader.finish(values);
    reader.finish(outer);
    return new AttributeOctets(type, reader.copySince(start));
  }

  private static int elementSize(int length) {
    return 1 + BerWriter.lengthSize(length) + length;
  }

  private static int header(byte[] out, int index, int tag, int length) {
    out[index] = (byte) tag;
    return BerWriter.writeLength(out, index + 1, length);
  }

  private static int copy(byte[] from, byte[] to, int index) {
    System.arraycopy(from, 0, to, index, from.length);
    return index + from.length;
  }
}
