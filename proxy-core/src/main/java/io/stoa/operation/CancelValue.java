// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import java.nio.charset.StandardCharsets;

/**
 * The messageID in a Cancel request (RFC 3909, section 2.1):
 *
 * <pre>cancelRequestValue ::= SEQUENCE { cancelID MessageID }</pre>
 *
 * <p>Threading: stateless.
 */
public final class CancelValue {
  private static final int REQUEST_NAME = 0x80;
  private static final int REQUEST_VALUE = 0x81;

  private CancelValue() {}

  /**
   * Returns the messageID of the operation to cancel, as the client numbered it.
   *
   * @throws LdapProtocolException if the request has none
   */
  public static int read(LdapMessage message, ExtendedOp cancel) throws LdapProtocolException {
    if (cancel.valueLength() < 0) {
      throw LdapProtocolException.of(ProtocolError.MALFORMED_REQUEST);
    }
    ByteBuf body = message.body();
    int start = body.readerIndex() + cancel.valueOffset();
    BerReader reader =
        new BerReader(body.slice(start, cancel.valueLength()), ProtocolError.MALFORMED_REQUEST);
    int sequence = reader.enter(BerReader.SEQUENCE);
    int id = reader.integer(BerReader.INTEGER);
    reader.finish(sequence);
    return id;
  }

  /** True if a Cancel request names its own messageID. */
  public static boolean namesItself(Operation cancelRequest) {
    try {
      ExtendedOp cancel = (ExtendedOp) cancelRequest.request().op();
      return read(cancelRequest.message(), cancel) == cancelRequest.messageId();
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  /** Returns the request with another messageID: a new protocolOp, and unchanged controls. */
  public static ByteBuf translated(LdapMessage message, int messageId) {
    BerWriter value = new BerWriter();
    int sequence = value.begin(BerReader.SEQUENCE);
    value.integer(BerReader.INTEGER, messageId).end(sequence);
    BerWriter op = new BerWriter();
    int request = op.begin(OpType.EXTENDED_REQUEST.tag());
    op.octets(REQUEST_NAME, Oids.CANCEL.getBytes(StandardCharsets.US_ASCII));
    op.octets(REQUEST_VALUE, value.toByteArray()).end(request);
    ByteBuf body = message.body();
    ByteBuf translated = Unpooled.buffer().writeBytes(op.toByteArray());
    int controls = body.readableBytes() - message.opLength();
    return translated.writeBytes(body, body.readerIndex() + message.opLength(), controls);
  }
}
