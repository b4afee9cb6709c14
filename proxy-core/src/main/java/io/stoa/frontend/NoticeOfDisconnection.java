// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.netty.channel.Channel;
import io.stoa.codec.MessageWriter;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.LdapResult;
import io.stoa.operation.Rejection;

/**
 * The unsolicited notification that says why a connection ends (RFC 4511, section 4.4.1).
 * Immutable.
 *
 * @param resultCode the LDAP result code
 * @param diagnostic what to tell a person
 */
record NoticeOfDisconnection(int resultCode, String diagnostic) {
  /** The messageID of what nobody asked for. */
  static final int UNSOLICITED_ID = 0;

  private static final int PROTOCOL_ERROR = 2;

  static NoticeOfDisconnection protocolError(LdapProtocolException error) {
    return new NoticeOfDisconnection(PROTOCOL_ERROR, error.reason().text());
  }

  static NoticeOfDisconnection of(Rejection reason) {
    return new NoticeOfDisconnection(reason.resultCode(), reason.diagnostic());
  }

  /** Writes the notice behind what was written already. */
  void send(MessageWriter writer, Channel channel) {
    if (channel.isActive()) {
      writer.write(UNSOLICITED_ID, LdapResult.noticeOfDisconnection(resultCode, diagnostic));
    }
  }
}
