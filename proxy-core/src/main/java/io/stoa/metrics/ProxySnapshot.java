// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.result.CacheStats;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.net.tls.TlsContext;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.write.WindowStatus;
import java.util.List;

/**
 * The proxy at one moment, as far as meters show it.
 *
 * <p>Threading: immutable.
 */
public interface ProxySnapshot {
  /** True if a directory server takes operations. */
  boolean ready();

  /** Number of open client connections. */
  int connections();

  /** Maximum number of client connections. */
  int maxConnections();

  /** Number of operations without an answer. */
  int operationsInFlight();

  /** Number of operations that wait for an upstream connection. */
  int queued();

  /** Number of fills in flight: upstream searches whose answers are to be stored. */
  int fillsInFlight();

  /** Number of writes through Stoa that some server may still lack. */
  int recentChanges();

  /** Number of client connections with an unfinished or queued request. */
  int readWaiters();

  /** Number of client connections with octets not yet written to the client. */
  int writeWaiters();

  /** Octets of memory that clients' requests without an answer take. */
  long requestMemory();

  /** Number of event loops. */
  int eventLoops();

  /** Statistics of the caches. */
  CacheStats cache();

  /** State of the TLS files: expiry of certificates, and reloads. */
  List<TlsContext.Status> tls();

  /** State of the write windows. */
  List<WindowStatus> windows();

  /** State of the directory servers. */
  List<BackendStatus> backends();

  /** State of the change feeds, one for each naming context that has a feed. */
  List<DomainReport> feeds();

  /** Naming contexts or directories without a feed. */
  List<FeedAbsence> withoutFeed();

  /** Statistics of cache maintenance: refresh-ahead and audit. */
  MaintenanceStatus upkeep();
}
