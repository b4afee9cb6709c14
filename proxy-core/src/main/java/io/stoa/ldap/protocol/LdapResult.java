// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An LDAPResult (RFC 4511, section 4.1.9) without referrals. Results are compared by identity of
 * the arrays.
 *
 * <p>Threading: immutable; the arrays must not be modified.
 *
 * @param diagnostic diagnosticMessage in UTF-8
 */
public record LdapResult(int code, byte[] matchedDn, byte[] diagnostic) {
  private static final int RESPONSE_NAME = 0x8A;
  private static final int RESPONSE_VALUE = 0x8B;
  private static final int REFERRAL = 0xA3;

  /**
   * Index of the result code in the usual form: after tag and length of the protocolOp and of the
   * code, with one octet each.
   */
  private static final int USUAL_CODE = 4;

  private static final int MAX_REFERRALS = 100;
  private static final byte[] NONE = {};

  /** Returns a protocolOp with an empty matchedDN. */
  public static EncodedResponse encode(
      OpType responseType, int resultCode, String diagnosticMessage) {
    return new LdapResult(resultCode, NONE, utf8(diagnosticMessage)).encode(responseType);
  }

  public EncodedResponse encode(OpType responseType) {
    BerWriter writer = new BerWriter(24 + matchedDn.length + diagnostic.length);
    int op = writer.begin(responseType.tag());
    writeTo(writer);
    return new EncodedResponse(writer.end(op).toByteArray());
  }

  /**
   * Returns a Notice of Disconnection (RFC 4511, section 4.4.1) as a protocolOp. Its messageID must
   * be 0.
   */
  public static byte[] noticeOfDisconnection(int resultCode, String diagnosticMessage) {
    byte[] diagnostic = utf8(diagnosticMessage);
    BerWriter writer = new BerWriter(64 + diagnostic.length);
    int op = writer.begin(OpType.EXTENDED_RESPONSE.tag());
    new LdapResult(resultCode, NONE, diagnostic).writeTo(writer);
    writer.octets(RESPONSE_NAME, Oids.NOTICE_OF_DISCONNECTION.getBytes(StandardCharsets.US_ASCII));
    return writer.end(op).toByteArray();
  }

  /**
   * Returns the result code. The usual form is recognized at almost no cost; other forms are read
   * by {@link #codeOf(ByteBuf)}.
   */
  public static int quickCodeOf(ByteBuf body) {
    int start = body.readerIndex();
    boolean shortForm =
        body.readableBytes() > USUAL_CODE
            && body.getByte(start + 1) >= 0
            && body.getByte(start + 2) == BerReader.ENUMERATED
            && body.getByte(start + 3) == 1;
    return shortForm ? body.getByte(start + USUAL_CODE) : codeOf(body);
  }

  /** Returns the result code of a final response, like {@link #quickCodeOf(ByteBuf)}. */
  public static int quickCodeOf(Response response) {
    if (response instanceof LdapMessage message) {
      return quickCodeOf(message.body());
    }
    return response instanceof EncodedResponse own ? quickCodeOf(own.op()) : -1;
  }

  private static int quickCodeOf(byte[] op) {
    boolean shortForm =
        op.length > USUAL_CODE && op[1] >= 0 && op[2] == BerReader.ENUMERATED && op[3] == 1;
    return shortForm ? op[USUAL_CODE] : codeOf(op);
  }

  /**
   * Returns the result code of a final response, or -1 if it cannot be read.
   *
   * @param body begins with the protocolOp at its readerIndex, which does not move
   */
  public static int codeOf(ByteBuf body) {
    return codeOf(new BerReader(body, ProtocolError.MALFORMED_RESPONSE));
  }

  /** Returns the result code of a protocolOp in an array, like {@link #codeOf(ByteBuf)}. */
  public static int codeOf(byte[] op) {
    return codeOf(new BerReader(op, ProtocolError.MALFORMED_RESPONSE));
  }

  private static int codeOf(BerReader reader) {
    try {
      enter(reader);
      return Math.max(-1, reader.integer(BerReader.ENUMERATED));
    } catch (LdapProtocolException e) {
      return -1;
    }
  }

  /**
   * Returns the responseValue of a successful ExtendedResponse (RFC 4511, section 4.12); null if it
   * failed or has no value.
   *
   * @param body begins with the protocolOp at its readerIndex, which does not move
   * @throws LdapProtocolException if the response is malformed
   */
  public static byte @Nullable [] responseValue(ByteBuf body) throws LdapProtocolException {
    if (codeOf(body) != 0) {
      return null;
    }
    BerReader reader = new BerReader(body, ProtocolError.MALFORMED_RESPONSE);
    reader.enter(OpType.EXTENDED_RESPONSE.tag());
    while (reader.hasMore() && reader.peekTag() != RESPONSE_VALUE) {
      reader.skip(reader.peekTag());
    }
    return reader.hasMore() ? reader.octets(RESPONSE_VALUE) : null;
  }

  /**
   * Returns the responseValue of a successful ExtendedResponse; null if it failed, has no value, or
   * is no such response.
   *
   * @param op the protocolOp
   */
  public static byte @Nullable [] responseValueOf(byte[] op) {
    try {
      return responseValue(Unpooled.wrappedBuffer(op));
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  /** Returns the matchedDN of a final response; empty if it cannot be read. */
  public static byte[] matchedDnOf(byte[] op) {
    BerReader reader = new BerReader(op, ProtocolError.MALFORMED_RESPONSE);
    try {
      enter(reader);
      reader.integer(BerReader.ENUMERATED);
      return reader.octets(BerReader.OCTET_STRING);
    } catch (LdapProtocolException e) {
      return NONE;
    }
  }

  /** Returns the diagnosticMessage of a final response in UTF-8; empty if it cannot be read. */
  public static byte[] diagnosticOf(byte[] op) {
    BerReader reader = new BerReader(op, ProtocolError.MALFORMED_RESPONSE);
    try {
      enter(reader);
      reader.integer(BerReader.ENUMERATED);
      reader.skip(BerReader.OCTET_STRING);
      return reader.octets(BerReader.OCTET_STRING);
    } catch (LdapProtocolException e) {
      return NONE;
    }
  }

  /** Returns the URLs of a referral; empty if the result is not a referral or is malformed. */
  public static List<String> referrals(byte[] op) {
    BerReader reader = new BerReader(op, ProtocolError.MALFORMED_RESPONSE);
    try {
      enter(reader);
      reader.integer(BerReader.ENUMERATED);
      reader.skip(BerReader.OCTET_STRING);
      reader.skip(BerReader.OCTET_STRING);
      if (reader.peekTag() != REFERRAL) {
        return List.of();
      }
      reader.enter(REFERRAL);
      return reader.listOf(url -> utf8(url.octets(BerReader.OCTET_STRING)), MAX_REFERRALS);
    } catch (LdapProtocolException e) {
      return List.of();
    }
  }

  private static int enter(BerReader reader) throws LdapProtocolException {
    OpType type = OpType.ofTag(Math.max(0, reader.peekTag()));
    if (type == null || !type.isFinalResponse()) {
      throw LdapProtocolException.of(ProtocolError.MALFORMED_RESPONSE);
    }
    return reader.enter(type.tag());
  }

  private void writeTo(BerWriter writer) {
    writer
        .integer(BerReader.ENUMERATED, code)
        .octets(BerReader.OCTET_STRING, matchedDn)
        .octets(BerReader.OCTET_STRING, diagnostic);
  }

  private static String utf8(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
