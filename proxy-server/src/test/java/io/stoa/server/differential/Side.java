// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One of the two ways to a directory (direct, or through Stoa) with its named connections. Not
 * thread-safe.
 */
final class Side implements AutoCloseable {
  private static final int UNBIND = 0x42;

  private final InetSocketAddress address;
  private final Dialer dialer;
  private final Map<String, RawLdapClient> connections = new HashMap<>();
  private List<RawMessage> previous = List.of();

  Side(InetSocketAddress address, Dialer dialer) {
    this.address = address;
    this.dialer = dialer;
  }

  /** The request of this step on this side, which may depend on the answer before. */
  RawRequest request(Step step) {
    return dialer.spoken(step.request().apply(previous));
  }

  /** Sends the request; what answers it, in order; nothing if this kind is not answered. */
  List<RawMessage> run(Step step, RawRequest request) {
    RawLdapClient client =
        connections.computeIfAbsent(step.connection(), name -> dialer.dial(address));
    if (request.isAnswered()) {
      previous = answer(step, request, client);
      return previous;
    }
    client.send(request);
    return request.tag() == UNBIND ? farewell(step.connection(), client) : List.of();
  }

  private static List<RawMessage> answer(Step step, RawRequest request, RawLdapClient client) {
    try {
      return client.call(request);
    } catch (AssertionError e) {
      throw new AssertionError(step + ": " + e.getMessage(), e);
    }
  }

  private List<RawMessage> farewell(String name, RawLdapClient client) {
    List<RawMessage> rest = client.drain();
    client.close();
    connections.remove(name);
    return rest;
  }

  @Override
  public void close() {
    connections.values().forEach(RawLdapClient::close);
  }
}
