// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import io.stoa.testing.RawRequest;
import io.stoa.testing.Tlv;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Requests that no encoder would make. */
public final class HostileOctets {
  private static final int SEARCH = 0x63;
  private static final int SEQUENCE = 0x30;
  private static final int OCTET_STRING = 0x04;
  private static final int NOT = 0xa2;
  private static final int OR = 0xa1;
  private static final int EQUALITY = 0xa3;
  private static final int PRESENT = 0x87;

  private HostileOctets() {}

  /** A base search of the root DSE with this filter and these attributes. */
  static RawRequest search(byte[] filter, byte[]... attributes) {
    return new RawRequest(
        Tlv.of(
            SEARCH,
            Tlv.of(OCTET_STRING),
            Tlv.integer(0x0a, 0),
            Tlv.integer(0x0a, 0),
            Tlv.integer(0x02, 0),
            Tlv.integer(0x02, 0),
            new byte[] {0x01, 0x01, 0x00},
            filter,
            Tlv.of(SEQUENCE, attributes)));
  }

  static byte[] present() {
    return Tlv.of(PRESENT, text("objectClass"));
  }

  /** {@code (!(!(…(objectClass=*)…)))}: so many negations. */
  static byte[] negations(int depth) {
    // From the inside out, each level only a header in front: no copy per level.
    byte[] inner = present();
    byte[] octets = new byte[inner.length + 6 * depth];
    int start = octets.length - inner.length;
    System.arraycopy(inner, 0, octets, start, inner.length);
    for (int i = 0; i < depth; i++) {
      byte[] header = header(NOT, octets.length - start);
      start -= header.length;
      System.arraycopy(header, 0, octets, start, header.length);
    }
    return Arrays.copyOfRange(octets, start, octets.length);
  }

  private static byte[] header(int tag, int length) {
    byte[] whole = Tlv.of(tag, new byte[length]);
    return Arrays.copyOf(whole, whole.length - length);
  }

  /** A filter of so many alternatives; one of them matches the root DSE. */
  static byte[] alternatives(int terms) {
    byte[][] equalities =
        IntStream.range(0, terms)
            .mapToObj(i -> Tlv.of(EQUALITY, octets("uid"), octets("x" + i)))
            .toArray(byte[][]::new);
    equalities[terms / 2] = present();
    return Tlv.of(OR, equalities);
  }

  static byte[][] attributes(int count) {
    return IntStream.range(0, count).mapToObj(i -> octets("attribute" + i)).toArray(byte[][]::new);
  }

  /** A search whose LDAPMessage has exactly so many octets under a messageID below 128. */
  public static RawRequest searchOfSize(int size) {
    int value = size;
    RawRequest request = searchFor(value);
    while (request.encode(1).length > size) {
      value -= request.encode(1).length - size;
      request = searchFor(value);
    }
    return request;
  }

  private static RawRequest searchFor(int valueLength) {
    byte[] value = Tlv.of(OCTET_STRING, new byte[valueLength]);
    return search(Tlv.of(EQUALITY, octets("description"), value));
  }

  /** An LDAPMessage around a valid op, its messageID encoded as given. */
  static byte[] withMessageId(String idElement, RawRequest request) {
    return Tlv.of(SEQUENCE, Tlv.hex(idElement), request.op());
  }

  /** A bind request of this version with this authentication choice. */
  static RawRequest bind(int version, byte[] authentication) {
    return new RawRequest(
        Tlv.of(0x60, Tlv.integer(0x02, version), Tlv.of(OCTET_STRING), authentication));
  }

  private static byte[] octets(String text) {
    return Tlv.of(OCTET_STRING, text(text));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
