// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.result.Caches;
import io.stoa.cache.sharing.GroupReader;
import io.stoa.coherence.invalidation.RealmReport;
import io.stoa.coherence.tracking.OwnWrites;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.OwnChange;
import io.stoa.routing.directory.DirectorySpec;
import io.stoa.routing.directory.SuffixTable;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.health.Probes;
import io.stoa.upstream.pool.UpstreamConfig;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a proxy hears of changes, its clients' and others', and what the caches make of it.
 * Thread-safe.
 */
public final class ChangeFeeds implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeFeeds.class);
  private static final long LEAST_PERIOD = 100;
  private static final String NO_FEED = "no feed{}: {}; {}";

  private final CoherenceConfig config;
  private final Caches caches;
  private final Duration maxAge;
  private final @Nullable TlsContext tls;
  private final ToldFile kept;
  private final OwnWrites changes;
  private volatile @Nullable FeedRegistry feeds;

  /**
   * Hears of nothing yet but what is done through the proxy.
   *
   * @param maxAge how old answers may be that do not rest on a feed
   * @param tls how servers are spoken to inside TLS; null if none is
   * @param kept keeps how many changes were told, for the next start; ends with the feeds
   */
  public ChangeFeeds(
      CoherenceConfig config,
      Caches caches,
      Duration maxAge,
      @Nullable TlsContext tls,
      ToldFile kept) {
    this.kept = kept;
    this.config = config;
    this.caches = caches;
    this.maxAge = maxAge;
    this.tls = tls;
    caches.classes().verifier().settle(config.maxStaleness().multipliedBy(2));
    this.changes = new OwnWrites(caches.changes(), caches::realms, this::ended);
  }

  private void ended(OwnChange change) {
    FeedRegistry own = feeds;
    if (own != null) {
      own.ended(change);
    }
  }

  /** Takes the changes that go through the proxy. */
  public ChangeListener changes() {
    return changes;
  }

  /**
   * Behind which directories the proxy stands. Immutable.
   *
   * @param specs how they are configured
   * @param branches the servers of each
   * @param suffixes which of them claims what
   */
  private record Directories(
      List<DirectorySpec> specs, List<ServerGroup> branches, SuffixTable suffixes) {
    /** One alone is asked for everything, whatever its suffixes are. */
    static Directories of(
        List<DirectorySpec> specs, List<ServerGroup> branches, SuffixTable suffixes) {
      boolean alone = specs.size() == 1;
      return new Directories(
          specs, branches, alone ? new SuffixTable(List.of(List.of())) : suffixes);
    }

    private Feeds.Place place(int number) {
      DirectorySpec spec = specs.get(number);
      String named = specs.size() == 1 ? "" : " of the directory " + name(spec);
      List<String> own = spec.suffixes();
      return new Feeds.Place(
          own.isEmpty() ? "directory" : String.join(" and ", own),
          named,
          branches.get(number),
          context -> FeedRegistry.part(suffixes, number, spec, context));
    }

    private static String name(DirectorySpec spec) {
      return spec.suffixes().isEmpty()
          ? "without suffix"
          : "'" + String.join("', '", spec.suffixes()) + "'";
    }
  }

  /**
   * Begins to hear of others, as soon as a directory is known, where there is an account for that.
   *
   * @param suffixes which directory claims what
   * @param branches the servers of each
   * @param loop on which servers are asked how far they have got
   */
  public void begin(
      SuffixTable suffixes,
      List<ServerGroup> branches,
      Supplier<UpstreamConfig> upstream,
      Probes probes,
      EventExecutor loop) {
    caches.classes().verifier().patience(() -> upstream.get().queueTimeout());
    List<DirectorySpec> specs = DirectorySpec.of(upstream.get().servers());
    Directories directories = Directories.of(specs, branches, suffixes);
    Feeds.Around around =
        new Feeds.Around(probes, caches::isSecret, caches::toldOfChange, loop, maxAge, tls, kept);
    feeds = joined(directories, upstream, around);
    readGroups(loop);
  }

  private FeedRegistry joined(
      Directories directories, Supplier<UpstreamConfig> upstream, Feeds.Around around) {
    String why = config.feed().absence();
    boolean some = config.feed().hasAccount();
    if (!some) {
      LOG.info(NO_FEED, "", why, FeedStats.ages(maxAge));
    }
    Map<Integer, Feeds> each = new HashMap<>();
    Map<Integer, AgeOnlyTracking> others = new HashMap<>();
    for (int number = 0; number < directories.specs.size(); number++) {
      Feeds.Place place = directories.place(number);
      FeedCredentials account = config.feed().account(directories.specs.get(number)::has);
      if (account != null) {
        each.put(number, new Feeds(config, account, upstream, place, around));
      } else {
        others.put(number, new AgeOnlyTracking(place, maxAge));
        if (some) {
          LOG.info(NO_FEED, place.named(), why, FeedStats.ages(maxAge));
        }
      }
    }
    return new FeedRegistry(directories.suffixes, each, others, why);
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
    FeedRegistry own = feeds;
    return own == null ? null : own.reader(entry);
  }

  /** What is known of directories has changed; the caches know it already. */
  public void know(List<DirectorySchema> known) {
    FeedRegistry own = feeds;
    if (own != null) {
      own.know(known);
    }
    if (own != null && !own.isEmpty()) {
      caches.realms(own);
    }
  }

  /**
   * Why a directory may not show entries as databases of its servers hold them; empty if its
   * configuration proves that it does. Without a feed no configuration is read.
   */
  public String foreign(int directory) {
    FeedRegistry own = feeds;
    return own == null ? "there is no feed" : own.foreign(directory);
  }

  /** How changes are heard of, for each naming context in which they are. */
  public List<RealmReport> status() {
    FeedRegistry own = feeds;
    return own == null ? List.of() : own.status();
  }

  /** Of which naming contexts, or directories, nobody tells. */
  public List<FeedAbsence> absent() {
    FeedRegistry own = feeds;
    return own == null ? List.of() : own.absent();
  }

  @Override
  public void close() {
    FeedRegistry own = feeds;
    if (own != null) {
      own.close();
    }
    kept.close();
  }
}
