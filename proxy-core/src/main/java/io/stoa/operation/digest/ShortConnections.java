// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.digest.DigestStatus.Sender;
import java.util.List;

/**
 * Client connections that have ended, and the networks of those that carried few requests.
 *
 * <p>Threading: thread-safe.
 */
public final class ShortConnections {
  /** Maximum number of requests of a short connection: a bind, a search and an unbind. */
  private static final long MAX_REQUESTS = 3;

  private final FrequentSenders networks = new FrequentSenders();
  private long ended;
  private long ofFewRequests;

  /** Creates an instance without connections. */
  public ShortConnections() {}

  /**
   * Counts of connections.
   *
   * <p>Threading: immutable.
   *
   * @param ended connections that have ended after a request
   * @param ofFewRequests those of them with at most three requests
   * @param networks networks with most of the latter
   */
  public record Status(long ended, long ofFewRequests, List<Sender> networks) {
    public Status {
      networks = List.copyOf(networks);
    }
  }

  /** Adds a connection that has ended. Connections without a request do not count. */
  public synchronized void add(Octets network, long requests) {
    if (requests > 0) {
      ended++;
    }
    if (requests > 0 && requests <= MAX_REQUESTS) {
      ofFewRequests++;
      networks.add(network, 1);
    }
  }

  /** Returns the present counts. */
  public synchronized Status status() {
    return new Status(ended, ofFewRequests, networks.list());
  }
}
