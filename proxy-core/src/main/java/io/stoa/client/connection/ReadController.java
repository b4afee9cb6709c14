// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.ChannelConfig;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.MalformedRequestException;
import io.stoa.operation.event.ClientEvent;
import org.jspecify.annotations.Nullable;

/**
 * Processes a client's requests in order, as far as its state allows. Reading from the client
 * pauses while requests wait.
 *
 * <p>Threading: event loop.
 */
final class ReadController {
  private final ClientConnection client;
  private final FrontendConfig config;
  private final RequestQueue requests;
  private @Nullable HeldRequests heldRequests;
  private int throttled;

  ReadController(ClientConnection client, FrontendConfig config, RequestDispatch dispatch) {
    this.client = client;
    this.config = config;
    this.requests = new RequestQueue(dispatch, this::mayTake);
  }

  /** Called when a request has been received. */
  void add(LdapMessage request) {
    requests.add(request);
    take();
    requests.detach(request);
    if (heldRequests != null) {
      heldRequests.completeUnfinished(octets());
    }
  }

  /** Sets the recipient of reports about the memory of complete requests. */
  void reportTo(HeldRequests newRequests) {
    heldRequests = newRequests;
  }

  /** Reports the memory of complete requests that wait or are unanswered. */
  void reportMemory() {
    if (heldRequests != null) {
      heldRequests.setComplete(octets());
    }
  }

  private long octets() {
    return client.operations().octets() + requests.octets();
  }

  /** Processes waiting requests, as far as they may be processed now. */
  void take() {
    try {
      if (requests.take()) {
        setReading(requests.isEmpty() && (mayTake() || mayReadOn()));
      }
    } catch (LdapProtocolException e) {
      client.endWithProtocolError(e.reason());
    } catch (MalformedRequestException e) {
      client.endWithProtocolError(e.reason());
    }
  }

  private void setReading(boolean read) {
    ChannelConfig channel = client.channel().config();
    if (channel.isAutoRead() != read) {
      channel.setAutoRead(read);
      if (!read && isFull()) {
        client.counters().events().increment(ClientEvent.THROTTLED);
        RefusalLog.logThrottling(client, throttled++);
      }
    }
  }

  /**
   * True if reading continues although no request may be processed. The TLS handshake must be read.
   * After a bind, clients wait for its response, so a pause would cost work for nothing. A request
   * that arrives anyway is queued, and then reading pauses.
   */
  private boolean mayReadOn() {
    return client.state() == ClientState.STARTING_TLS || client.state() == ClientState.BINDING;
  }

  private boolean mayTake() {
    return client.state() == ClientState.READY
        && !client.sasl().exchange().isAsking()
        && !isFull()
        && !client.outbound().isCongested()
        && client.operations().endingOctets() < client.frames().maxFrameSize();
  }

  private boolean isFull() {
    return client.operations().size() - client.operations().longLived()
        >= config.limits().operationsInFlight();
  }

  /** True if a request waits for its turn. */
  boolean hasWaiting() {
    return !requests.isEmpty();
  }

  /** Discards the waiting requests. */
  void clear() {
    requests.clear();
  }
}
