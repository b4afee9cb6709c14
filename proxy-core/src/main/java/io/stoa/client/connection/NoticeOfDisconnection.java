// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.codec.MessageWriter;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.ClientEvent;
import java.nio.charset.StandardCharsets;

/**
 * The unsolicited notification that says why a connection ends (RFC 4511, section 4.4.1).
 *
 * <p>Threading: immutable.
 *
 * @param resultCode the LDAP result code
 * @param diagnostic the text for people
 */
record NoticeOfDisconnection(int resultCode, String diagnostic) {
  /** The messageID of unsolicited notifications. */
  static final int UNSOLICITED_ID = 0;

  private static final int PROTOCOL_ERROR = 2;
  private static final int RESPONSE_NAME = 0x8A;

  /** The encoded responseName, by which a server's notice is recognized. */
  private static final ByteBuf NAME =
      Unpooled.unreleasableBuffer(
          Unpooled.wrappedBuffer(
              new BerWriter()
                  .octets(
                      RESPONSE_NAME,
                      Oids.NOTICE_OF_DISCONNECTION.getBytes(StandardCharsets.US_ASCII))
                  .toByteArray()));

  /** True if a server's notification is a Notice of Disconnection. */
  static boolean isNotice(LdapMessage unsolicited) {
    return ByteBufUtil.indexOf(NAME, unsolicited.body()) >= 0;
  }

  static NoticeOfDisconnection protocolError(ProtocolError error) {
    return new NoticeOfDisconnection(PROTOCOL_ERROR, error.text());
  }

  static NoticeOfDisconnection of(Rejection reason) {
    return new NoticeOfDisconnection(reason.resultCode(), reason.diagnostic());
  }

  /** Writes the notice after the messages already written. */
  void send(MessageWriter writer, Channel channel, OperationCounters counters) {
    if (channel.isActive()) {
      counters.events().increment(ClientEvent.OTHER_SENT);
      writer.write(UNSOLICITED_ID, LdapResult.noticeOfDisconnection(resultCode, diagnostic));
    }
  }
}
