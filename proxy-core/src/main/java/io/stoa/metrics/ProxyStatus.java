// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.result.CacheStats;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.net.tls.TlsContext;
import io.stoa.upstream.balancing.TierStatus;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.write.WindowStatus;
import java.util.List;

/**
 * The status of the proxy at one moment.
 *
 * <p>Threading: immutable.
 *
 * @param ready true if a directory server is usable, its schema was read or is unreadable, and Stoa
 *     is not draining
 * @param reason the reason why it is not ready; empty if it is
 * @param connections the number of open client connections
 * @param maxConnections the maximum number of client connections
 * @param operationsInFlight the number of client operations that are not answered yet
 * @param queued the number of operations that wait for an upstream connection
 * @param fillsInFlight the number of searches in flight for the caches
 * @param recentChanges the number of changes that some server may lack, and that are remembered for
 *     that
 * @param readWaiters the number of client connections with an unfinished or waiting request
 * @param writeWaiters the number of client connections with unsent octets
 * @param requestMemory the bytes that requests of clients occupy until they are answered
 * @param eventLoops the number of event loops
 * @param cache the statistics of the caches
 * @param tls the certificates of Stoa, and the trusted ones
 * @param backends the directory servers, the primary first
 * @param queueLimit the maximum number of operations that wait for an upstream connection
 * @param queueLongest the largest number of operations that have waited at once
 * @param clientsAtLimit the number of client connections at their limit of operations in flight
 * @param listeners the open listeners
 * @param accepted the number of accepted connections of each listener
 * @param suffixes the naming contexts of the directories; empty until known
 * @param directories the server tiers of each directory
 * @param windows the write windows
 * @param feeds the naming contexts with a feed
 * @param withoutFeed the naming contexts, or directories, without a feed
 * @param maintenance the statistics of refresh-ahead and audit
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
    long requestMemory,
    int eventLoops,
    CacheStats cache,
    List<TlsContext.Status> tls,
    List<BackendStatus> backends,
    int queueLimit,
    int queueLongest,
    int clientsAtLimit,
    List<ListenerConfig> listeners,
    List<Long> accepted,
    List<String> suffixes,
    List<List<TierStatus>> directories,
    List<WindowStatus> windows,
    List<DomainReport> feeds,
    List<FeedAbsence> withoutFeed,
    MaintenanceStatus maintenance) {
  public ProxyStatus {
    tls = List.copyOf(tls);
    backends = List.copyOf(backends);
    listeners = List.copyOf(listeners);
    accepted = List.copyOf(accepted);
    suffixes = List.copyOf(suffixes);
    directories = List.copyOf(directories);
    windows = List.copyOf(windows);
    feeds = List.copyOf(feeds);
    withoutFeed = List.copyOf(withoutFeed);
  }
}
