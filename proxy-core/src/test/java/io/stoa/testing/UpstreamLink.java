// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;

/**
 * One connection of a {@link ScriptedUpstream}, as its script sees it: whatever octets are given go
 * out at once. A peer that has gone is no error: a script need not care. Thread-safe.
 */
public final class UpstreamLink {
  private final int number;
  private final Socket socket;
  private volatile String identity = "";
  private volatile boolean sasl;

  UpstreamLink(int number, Socket socket) {
    this.number = number;
    this.socket = socket;
  }

  public int number() {
    return number;
  }

  /** Who the connection is bound as; empty: anonymous. */
  public String identity() {
    return identity;
  }

  /** Whether a SASL bind was asked for on it. */
  public boolean sasl() {
    return sasl;
  }

  /** Remembers who a bind request named, if it succeeded. */
  void bound(Received bind, boolean success) {
    BindRequestProtocolOp request = bind.message().decoded().getBindRequestProtocolOp();
    sasl |= request.getCredentialsType() == BindRequestProtocolOp.CRED_TYPE_SASL;
    identity = success ? request.getBindDN() : "";
  }

  /** Sends one response. */
  public void send(int messageId, RawRequest response) {
    sendOctets(response.encode(messageId));
  }

  public synchronized void sendOctets(byte[] octets) {
    try {
      socket.getOutputStream().write(octets);
    } catch (IOException gone) {
      close();
    }
  }

  /** Sends each octet in a segment of its own. */
  public synchronized void sendTorn(byte[] octets) {
    for (int i = 0; i < octets.length; i++) {
      sendOctets(Arrays.copyOfRange(octets, i, i + 1));
    }
  }

  public void close() {
    try {
      socket.close();
    } catch (IOException gone) {
      // There is nothing left to close.
      return;
    }
  }
}
