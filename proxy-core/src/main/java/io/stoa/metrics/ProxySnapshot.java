// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.stoa.cache.maintenance.UpkeepStatus;
import io.stoa.cache.result.CacheStats;
import io.stoa.coherence.invalidation.RealmReport;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.net.tls.TlsContext;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.write.WindowStatus;
import java.util.List;

/** The proxy at one moment, as far as meters show it. Immutable. */
public interface ProxySnapshot {
  /** Whether a directory server takes operations. */
  boolean ready();

  /** Client connections open. */
  int connections();

  /** Most client connections. */
  int maxConnections();

  /** Operations not answered yet. */
  int operationsInFlight();

  /** Operations that wait for an upstream connection. */
  int queued();

  /** Searches under way upstream for the caches. */
  int fillsInFlight();

  /** Changes that some server may not have yet, and that are remembered for that. */
  int recentChanges();

  /** Client connections with an unfinished request or one that waits its turn. */
  int readWaiters();

  /** Client connections with octets that wait to be taken. */
  int writeWaiters();

  /** Octets that unfinished requests of clients take. */
  long requestMemory();

  /** Threads that move octets. */
  int eventLoops();

  /** The caches. */
  CacheStats cache();

  /** What has become of the files of TLS. */
  List<TlsContext.Status> tls();

  /** In which writes wait. */
  List<WindowStatus> windows();

  /** The directory servers. */
  List<BackendStatus> backends();

  /** How changes are heard of, for each naming context in which they are. */
  List<RealmReport> feeds();

  /** Naming contexts, or directories, that have none. */
  List<FeedAbsence> unfed();

  /** What was done to look after the caches. */
  UpkeepStatus upkeep();
}
