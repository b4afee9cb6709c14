// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import io.stoa.backend.BackendStatus;
import io.stoa.cache.CacheStats;
import io.stoa.codec.TlsContext;
import io.stoa.monitor.ProxySnapshot;
import java.util.List;

/**
 * The proxy at one moment. Immutable.
 *
 * @param ready whether a directory server takes operations, its schema was read or cannot be, and
 *     Stoa is not draining
 * @param reason why it is not ready; empty if it is
 * @param connections client connections open now
 * @param maxConnections most client connections
 * @param operationsInFlight operations of clients that are not answered yet
 * @param queued operations that wait for an upstream connection
 * @param fillsInFlight searches under way upstream for the caches
 * @param recentChanges changes that some server may not have yet, and that are remembered for that
 * @param readWaiters client connections with an unfinished request or one that waits its turn
 * @param writeWaiters client connections with octets that wait to be taken
 * @param eventLoops threads that move octets
 * @param cache the caches
 * @param tls the certificates of Stoa's own, and those that it trusts
 * @param backends the directory servers, the primary first
 */
public record ProxyStatus(
    boolean ready,
    String reason,
    int connections,
    int maxConnections,
    int operationsInFlight,
    int queued,
    int fillsInFlight,
    int recentChanges,
    int readWaiters,
    int writeWaiters,
    int eventLoops,
    CacheStats cache,
    List<TlsContext.Status> tls,
    List<BackendStatus> backends)
    implements ProxySnapshot {
  public ProxyStatus {
    tls = List.copyOf(tls);
    backends = List.copyOf(backends);
  }
}
