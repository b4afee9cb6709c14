// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.access.GroupReader;
import io.stoa.cache.Caches;
import io.stoa.change.ChangeListener;
import io.stoa.change.PrivilegedReader;
import io.stoa.codec.GuardedTask;
import io.stoa.codec.TlsContext;
import io.stoa.coherence.WriteLatency;
import io.stoa.probe.Probes;
import io.stoa.tier.Branch;
import io.stoa.upstream.UpstreamConfig;
import io.stoa.watch.OwnWrites;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a proxy hears of changes, its clients' and others', and what the caches make of it.
 * Thread-safe.
 */
public final class ChangeFeeds implements AutoCloseable {
  private static final long LEAST_PERIOD = 100;

  private final CoherenceConfig config;
  private final Caches caches;
  private final Duration maxAge;
  private final @Nullable TlsContext tls;
  private final WriteLatency latency = new WriteLatency(System::nanoTime);
  private final OwnWrites changes;
  private volatile @Nullable Feeds feeds;

  /**
   * Hears of nothing yet but what is done through the proxy.
   *
   * @param maxAge how old answers may be that do not rest on a feed
   * @param tls how servers are spoken to inside TLS; null if none is
   */
  public ChangeFeeds(
      CoherenceConfig config, Caches caches, Duration maxAge, @Nullable TlsContext tls) {
    this.config = config;
    this.caches = caches;
    this.maxAge = maxAge;
    this.tls = tls;
    caches.classes().verifier().settle(config.maxStaleness().multipliedBy(2));
    this.changes = new OwnWrites(caches.changes(), caches::realms, latency);
  }

  /** Takes the changes that go through the proxy. */
  public ChangeListener changes() {
    return changes;
  }

  /**
   * Begins to hear of others, as soon as the directory is known, if there is an account for that.
   *
   * @param directories how many there are
   * @param branch the servers of the first
   * @param loop on which servers are asked how far they have got
   */
  public void begin(
      int directories,
      Supplier<UpstreamConfig> upstream,
      Branch branch,
      Probes probes,
      EventExecutor loop) {
    Feeds.Around around =
        new Feeds.Around(
            probes, caches::isSecret, caches::toldOfChange, loop, latency, maxAge, tls);
    feeds = Feeds.of(config, upstream, directories, branch, around);
    readGroups(loop);
  }

  /** Twice in the time for which they are known. */
  private void readGroups(EventExecutor loop) {
    Duration known = config.maxAclStaleness();
    GroupReader groups = new GroupReader(caches.classes(), this::reader, known, System::nanoTime);
    if (!groups.isIdle()) {
      long period = Math.max(LEAST_PERIOD, known.toMillis() / 2);
      loop.scheduleAtFixedRate(new GuardedTask(groups::turn), 0, period, TimeUnit.MILLISECONDS);
    }
  }

  private @Nullable PrivilegedReader reader(byte[] entry) {
    Feeds own = feeds;
    return own == null ? null : own.reader(entry);
  }

  /** What is known of the directory has changed; the caches know it already. */
  public void know(Knowledge known) {
    Feeds own = feeds;
    if (own != null) {
      own.know(known);
      caches.realms(own);
    }
  }

  /** How changes are heard of, for each naming context in which they are. */
  public List<RealmReport> status() {
    Feeds own = feeds;
    return own == null ? List.of() : own.status();
  }

  @Override
  public void close() {
    Feeds own = feeds;
    if (own != null) {
      own.close();
    }
  }
}
