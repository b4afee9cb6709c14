// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.netty.channel.ChannelConfig;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;

/**
 * Takes a client's requests in order, as far as they may be taken now, and does not read from the
 * client while others wait. Event-loop confined.
 */
final class Intake {
  private final ClientConnection client;
  private final ClientLimits limits;
  private final RequestQueue requests;
  private int throttled;

  Intake(ClientConnection client, ClientLimits limits, RequestDispatch dispatch) {
    this.client = client;
    this.limits = limits;
    this.requests = new RequestQueue(dispatch, this::mayTake);
  }

  /** A request has been received. */
  void add(LdapMessage request) {
    requests.add(request);
    take();
  }

  /** Takes what may be taken now. */
  void take() {
    try {
      if (requests.take()) {
        boolean free = requests.isEmpty() && mayTake();
        read(free || client.state() == ClientState.STARTING_TLS);
      }
    } catch (LdapProtocolException e) {
      client.protocolError(e);
    }
  }

  private void read(boolean read) {
    ChannelConfig channel = client.channel().config();
    if (channel.isAutoRead() != read) {
      channel.setAutoRead(read);
      if (!read && isFull()) {
        client.listener().throttled();
        RefusalLog.throttled(client, throttled++);
      }
    }
  }

  private boolean mayTake() {
    return client.state() == ClientState.READY
        && !client.sasl().negotiation().isAsking()
        && !isFull()
        && !client.room().congested()
        && client.operations().octets() < limits.frameAfterBind();
  }

  private boolean isFull() {
    return client.operations().size() - client.operations().longLived()
        >= limits.operationsInFlight();
  }

  /** Whether a request waits its turn. */
  boolean waiting() {
    return !requests.isEmpty();
  }

  /** Forgets what waits. */
  void clear() {
    requests.clear();
  }
}
