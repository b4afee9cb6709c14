// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import com.unboundid.ldap.sdk.extensions.CancelExtendedRequest;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * One connection of a side: what was sent on it and may still be answered, by a label. Not
 * thread-safe.
 */
public final class ScriptConnection {
  private static final int UNBIND = 0x42;

  private final RawLdapClient client;
  private final Side side;
  private final Map<String, Integer> ids = new HashMap<>();
  private boolean ended;

  ScriptConnection(RawLdapClient client, Side side) {
    this.client = client;
    this.side = side;
  }

  /** What answers the request, in order; nothing if this kind is not answered. */
  public List<RawMessage> call(RawRequest request) {
    RawRequest spoken = side.sends(request);
    if (request.isAnswered()) {
      return side.answered(client.call(spoken));
    }
    client.send(spoken);
    if (request.tag() != UNBIND) {
      return List.of();
    }
    ended = true;
    return client.drain();
  }

  /** What the server says to a request that may make it close the connection. */
  public List<RawMessage> attempt(RawRequest request) {
    client.send(side.sends(request));
    return untilFinal();
  }

  /** What the server says to octets that may make it close the connection. */
  public List<RawMessage> attempt(byte[] octets) {
    client.sendOctets(octets);
    return untilFinal();
  }

  private List<RawMessage> untilFinal() {
    List<RawMessage> all = new ArrayList<>();
    do {
      Optional<RawMessage> message = client.next();
      message.ifPresent(all::add);
      ended = message.isEmpty();
    } while (!ended && !all.get(all.size() - 1).isFinal());
    return all;
  }

  /** Sends the request and does not wait: it is known by the label from now on. */
  public List<RawMessage> send(String label, RawRequest request) {
    ids.put(label, client.send(side.sends(request)));
    return List.of();
  }

  /** The next so many messages that answer what was sent under the label. */
  public List<RawMessage> receive(String label, int count) {
    return count == 0 ? List.of() : client.await(ids.get(label), count);
  }

  /** The messages that answer what was sent under the label, up to one of this kind. */
  public List<RawMessage> receiveUntil(String label, int opTag) {
    List<RawMessage> all = new ArrayList<>();
    do {
      all.addAll(receive(label, 1));
    } while (all.get(all.size() - 1).opTag() != opTag);
    return all;
  }

  /** The next of the label's messages that is like this; what comes before it is dropped. */
  public List<RawMessage> receiveFirst(String label, Predicate<RawMessage> like) {
    List<RawMessage> next = receive(label, 1);
    while (!like.test(next.get(0))) {
      next = receive(label, 1);
    }
    return next;
  }

  /** Drops what has come for the label until now. */
  public List<RawMessage> drop(String label) {
    client.take(ids.get(label));
    return List.of();
  }

  /** All that answers what was sent under the label, to its end. */
  public List<RawMessage> finish(String label) {
    return side.answered(client.await(ids.get(label)));
  }

  /** What has come for the label until now, and nobody has asked for. */
  public List<RawMessage> rest(String label) {
    return client.take(ids.get(label));
  }

  public List<RawMessage> abandon(String label) {
    return call(Requests.abandon(ids.get(label)));
  }

  /** Sends a Cancel (RFC 3909) of what was sent under the label, and waits for its answer. */
  public List<RawMessage> cancel(String label) {
    CancelExtendedRequest request = new CancelExtendedRequest(ids.get(label));
    return call(Requests.extended(request.getOID(), request.getValue().getValue()));
  }

  /** The connection itself, for octets that are no request. */
  public RawLdapClient client() {
    return client;
  }

  /** What the side was answered last, on whichever connection. */
  public List<RawMessage> previous() {
    return side.previous();
  }

  /** The server has closed the connection, or will: what comes before. */
  public List<RawMessage> drain() {
    ended = true;
    return client.drain();
  }

  boolean ended() {
    return ended;
  }
}
