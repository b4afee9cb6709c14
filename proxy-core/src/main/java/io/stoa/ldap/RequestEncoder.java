// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Encodes the few requests that Stoa makes itself. */
public final class RequestEncoder {
  private static final byte[] UNBIND = {0x42, 0};
  private static final int PRESENT = 0x87;
  private static final int BASE_OBJECT = 0;
  private static final int NEVER_DEREF = 0;

  private RequestEncoder() {}

  /** The protocolOp that ends a connection (RFC 4511, section 4.3). */
  public static byte[] unbind() {
    return UNBIND.clone();
  }

  /** The protocolOp that gives up an operation (RFC 4511, section 4.11). */
  public static byte[] abandon(int messageId) {
    return new BerWriter().integer(OpType.ABANDON_REQUEST.tag(), messageId).toByteArray();
  }

  /** The whole LDAPMessage, under messageID 1, that reads attributes of one entry. */
  public static byte[] readEntry(byte[] dn, List<String> attributes) {
    BerWriter request = new BerWriter();
    int message = request.begin(BerReader.SEQUENCE);
    request.integer(BerReader.INTEGER, 1);
    int search = request.begin(OpType.SEARCH_REQUEST.tag());
    request.octets(BerReader.OCTET_STRING, dn);
    request.integer(BerReader.ENUMERATED, BASE_OBJECT);
    request.integer(BerReader.ENUMERATED, NEVER_DEREF);
    request.integer(BerReader.INTEGER, 0).integer(BerReader.INTEGER, 0);
    request.bool(BerReader.BOOLEAN, false);
    request.octets(PRESENT, octets("objectClass"));
    int list = request.begin(BerReader.SEQUENCE);
    attributes.forEach(name -> request.octets(BerReader.OCTET_STRING, octets(name)));
    return request.end(list).end(search).end(message).toByteArray();
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
