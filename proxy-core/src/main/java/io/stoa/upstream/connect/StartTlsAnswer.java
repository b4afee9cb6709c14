// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import java.nio.charset.StandardCharsets;

/**
 * The client side of StartTLS (RFC 4511, section 4.14): the request, and the check of the response.
 *
 * <p>Threading: thread-safe; no state.
 */
final class StartTlsAnswer {
  /** MessageID of the request and its response. */
  static final int MESSAGE_ID = 1;

  private static final int REQUEST_NAME = 0x80;
  private static final int RESPONSE_NAME = 0x8A;
  private static final int SUCCESS = 0;
  private static final String REMEDY =
      "; enable StartTLS on the server, or set upstream.startTls to false";

  private StartTlsAnswer() {}

  /** Returns the protocolOp of the request. */
  static byte[] request() {
    BerWriter writer = new BerWriter();
    int op = writer.begin(OpType.EXTENDED_REQUEST.tag());
    writer.octets(REQUEST_NAME, Oids.START_TLS.getBytes(StandardCharsets.US_ASCII));
    return writer.end(op).toByteArray();
  }

  /** Returns why TLS must not start after this response; empty if it may. */
  static String refusal(LdapMessage answer) {
    if (answer.type() != OpType.EXTENDED_RESPONSE) {
      return "unexpected response to StartTLS";
    }
    try {
      return refusal(
          answer.messageId(), new BerReader(answer.body(), ProtocolError.MALFORMED_RESPONSE));
    } catch (LdapProtocolException e) {
      return "malformed response to StartTLS";
    }
  }

  private static String refusal(int messageId, BerReader reader) throws LdapProtocolException {
    int outer = reader.enter(OpType.EXTENDED_RESPONSE.tag());
    int code = reader.integer(BerReader.ENUMERATED);
    reader.octets(BerReader.OCTET_STRING);
    reader.octets(BerReader.OCTET_STRING);
    boolean expected =
        reader.peekTag() != RESPONSE_NAME || isStartTls(reader.octets(RESPONSE_NAME));
    reader.leave(outer);
    if (messageId == 0) {
      return "server closed the connection with result code " + code;
    }
    if (messageId != MESSAGE_ID || !expected) {
      return "response does not match the StartTLS request";
    }
    return code == SUCCESS ? "" : "StartTLS refused with result code " + code + REMEDY;
  }

  private static boolean isStartTls(byte[] name) {
    return Oids.START_TLS.equals(new String(name, StandardCharsets.ISO_8859_1));
  }
}
