// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.cache.maintenance.UpkeepStatus;
import io.stoa.cache.result.CacheStats;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.coherence.invalidation.RealmReport;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.metrics.ProxySnapshot;
import io.stoa.net.tls.TlsContext;
import io.stoa.upstream.balancing.TierStatus;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.write.WindowStatus;
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
 * @param requestMemory octets that unfinished requests of clients take
 * @param eventLoops threads that move octets
 * @param cache the caches
 * @param tls the certificates of Stoa's own, and those that it trusts
 * @param backends the directory servers, the primary first
 * @param queueLimit most operations that wait for an upstream connection
 * @param queueLongest most operations that have waited so at once
 * @param clientsAtLimit client connections with as many operations in flight as they may have
 * @param listeners where clients are accepted
 * @param accepted how many connections have come to each of them
 * @param suffixes the trees that the directories say they hold; none until that is known
 * @param directories the tiers of servers of each directory
 * @param windows in which writes wait
 * @param feeds how changes are heard of, for each naming context in which they are
 * @param unfed of which naming contexts, or directories, nobody tells
 * @param upkeep what was done to look after the caches
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
    List<RealmReport> feeds,
    List<FeedAbsence> unfed,
    UpkeepStatus upkeep)
    implements ProxySnapshot {
  public ProxyStatus {
    tls = List.copyOf(tls);
    backends = List.copyOf(backends);
    listeners = List.copyOf(listeners);
    accepted = List.copyOf(accepted);
    suffixes = List.copyOf(suffixes);
    directories = List.copyOf(directories);
    windows = List.copyOf(windows);
    feeds = List.copyOf(feeds);
    unfed = List.copyOf(unfed);
  }
}
