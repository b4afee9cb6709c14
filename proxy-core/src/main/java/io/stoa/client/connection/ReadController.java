// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.ChannelConfig;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import org.jspecify.annotations.Nullable;

/**
 * Takes a client's requests in order, as far as they may be taken now, and does not read from the
 * client while others wait. Event-loop confined.
 */
final class ReadController {
  private final ClientConnection client;
  private final FrontendConfig config;
  private final RequestQueue requests;
  private @Nullable HeldRequests held;
  private int throttled;

  ReadController(ClientConnection client, FrontendConfig config, RequestDispatch dispatch) {
    this.client = client;
    this.config = config;
    this.requests = new RequestQueue(dispatch, this::mayTake);
  }

  /** A request has been received. */
  void add(LdapMessage request) {
    requests.add(request);
    take();
    requests.detach(request);
    if (held != null) {
      held.completed(octets());
    }
  }

  /** Reports the memory of complete requests from now on. */
  void reportTo(HeldRequests here) {
    held = here;
  }

  /** Reports the memory of complete requests that wait, or are not answered. */
  void reportMemory() {
    if (held != null) {
      held.complete(octets());
    }
  }

  private long octets() {
    return client.operations().octets() + requests.octets();
  }

  /** Takes what may be taken now. */
  void take() {
    try {
      if (requests.take()) {
        read(requests.isEmpty() && (mayTake() || expectsNothing()));
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

  /**
   * Whether what may come next need not wait unread: the handshake of TLS must not. After a bind
   * clients await its outcome, so to stop reading would be work for nothing; what comes all the
   * same waits here, and ends the reading.
   */
  private boolean expectsNothing() {
    return client.state() == ClientState.STARTING_TLS || client.state() == ClientState.BINDING;
  }

  private boolean mayTake() {
    return client.state() == ClientState.READY
        && !client.sasl().negotiation().isAsking()
        && !isFull()
        && !client.room().congested()
        && client.operations().endingOctets() < client.frames().maxFrameSize();
  }

  private boolean isFull() {
    return client.operations().size() - client.operations().longLived()
        >= config.limits().operationsInFlight();
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
