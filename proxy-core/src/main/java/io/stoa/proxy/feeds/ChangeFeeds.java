// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.result.Caches;
import io.stoa.cache.sharing.GroupReader;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.tracking.OwnWrites;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.ldap.schema.ServerProfile;
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
 * Receives changes made through the proxy and changes reported by feeds, and passes them to the
 * caches.
 *
 * <p>Threading: thread-safe.
 */
public final class ChangeFeeds implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeFeeds.class);
  private static final long MIN_PERIOD = 100;
  private static final String NO_FEED = "change feed disabled{}: {}; {}";

  private final CoherenceConfig config;
  private final Caches caches;
  private final Duration maxAge;
  private final @Nullable TlsContext tls;
  private final CoverageFile coverageFile;
  private final OwnWrites changes;
  private volatile @Nullable FeedRegistry feeds;

  /**
   * Creates feeds that receive only the changes made through the proxy, until {@link #begin}.
   *
   * @param maxAge the maximum age of results that no feed holds
   * @param tls the TLS context for servers; null if none is reached by TLS
   * @param coverageFile the file with the proof of coverage for the next start; closed with the
   *     feeds
   */
  public ChangeFeeds(
      CoherenceConfig config,
      Caches caches,
      Duration maxAge,
      @Nullable TlsContext tls,
      CoverageFile coverageFile) {
    this.coverageFile = coverageFile;
    this.config = config;
    this.caches = caches;
    this.maxAge = maxAge;
    this.tls = tls;
    caches.classes().verifier().setMaxLag(config.maxStaleness().multipliedBy(2));
    this.changes = new OwnWrites(caches.changes(), caches::domains, this::onWriteEnded);
  }

  private void onWriteEnded(OwnChange change) {
    FeedRegistry registry = feeds;
    if (registry != null) {
      registry.onWriteEnded(change);
    }
  }

  /** Returns the listener for changes made through the proxy. */
  public ChangeListener changes() {
    return changes;
  }

  /**
   * The directories behind the proxy.
   *
   * <p>Threading: immutable.
   *
   * @param specs their configurations
   * @param branches the servers of each
   * @param suffixes the routing table of suffixes
   */
  private record Directories(
      List<DirectorySpec> specs, List<ServerGroup> branches, SuffixTable suffixes) {
    /** Returns the directories. A single directory gets all requests, whatever its suffixes are. */
    static Directories of(
        List<DirectorySpec> specs, List<ServerGroup> branches, SuffixTable suffixes) {
      boolean alone = specs.size() == 1;
      return new Directories(
          specs, branches, alone ? new SuffixTable(List.of(List.of())) : suffixes);
    }

    private Feeds.DirectoryDescriptor descriptor(int number) {
      DirectorySpec spec = specs.get(number);
      String label = specs.size() == 1 ? "" : " of the directory " + name(spec);
      List<String> own = spec.suffixes();
      return new Feeds.DirectoryDescriptor(
          own.isEmpty() ? "directory" : String.join(" and ", own),
          label,
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
   * Starts a feed in each directory with an account for it, as soon as the directory is known.
   *
   * @param suffixes the routing table of suffixes
   * @param branches the servers of each directory
   * @param loop the loop on which servers are asked for their positions
   */
  public void begin(
      SuffixTable suffixes,
      List<ServerGroup> branches,
      Supplier<UpstreamConfig> upstream,
      Probes probes,
      EventExecutor loop) {
    caches.classes().verifier().setTimeout(() -> upstream.get().queueTimeout());
    List<DirectorySpec> specs = DirectorySpec.of(upstream.get().servers());
    Directories directories = Directories.of(specs, branches, suffixes);
    Feeds.Services services =
        new Feeds.Services(
            probes, caches::isSecret, caches::onFeedChange, loop, maxAge, tls, coverageFile);
    feeds = createRegistry(directories, upstream, services);
    readGroups(loop);
  }

  private FeedRegistry createRegistry(
      Directories directories, Supplier<UpstreamConfig> upstream, Feeds.Services services) {
    String reason = config.feed().absence();
    boolean some = config.feed().hasAccount();
    if (!some) {
      LOG.info(NO_FEED, "", reason, FeedStats.ageText(maxAge));
    }
    Map<Integer, Feeds> byDirectory = new HashMap<>();
    Map<Integer, AgeOnlyTracking> ageOnly = new HashMap<>();
    for (int number = 0; number < directories.specs.size(); number++) {
      Feeds.DirectoryDescriptor directory = directories.descriptor(number);
      FeedCredentials account = config.feed().account(directories.specs.get(number)::has);
      if (account != null) {
        byDirectory.put(number, new Feeds(config, account, upstream, directory, services));
      } else {
        ageOnly.put(number, new AgeOnlyTracking(directory, maxAge));
        if (some) {
          LOG.info(NO_FEED, directory.logSuffix(), reason, FeedStats.ageText(maxAge));
        }
      }
    }
    return new FeedRegistry(directories.suffixes, byDirectory, ageOnly, reason);
  }

  /** Reads groups twice within the time for which they count as known (maxAclStaleness). */
  private void readGroups(EventExecutor loop) {
    Duration maxAclStaleness = config.maxAclStaleness();
    GroupReader groups =
        new GroupReader(caches.classes(), this::reader, maxAclStaleness, System::nanoTime);
    if (!groups.isIdle()) {
      long period = Math.max(MIN_PERIOD, maxAclStaleness.toMillis() / 2);
      loop.scheduleAtFixedRate(
          new GuardedTask("poll of groups", groups::readAll), 0, period, TimeUnit.MILLISECONDS);
    }
  }

  private @Nullable PrivilegedReader reader(byte[] entry) {
    FeedRegistry registry = feeds;
    return registry == null ? null : registry.reader(entry);
  }

  /** Called when the schema or profile of a directory has changed, after the caches. */
  public void onSchemaChange(List<ServerProfile> profiles) {
    FeedRegistry registry = feeds;
    if (registry != null) {
      registry.setSchemas(profiles);
    }
    if (registry != null && !registry.isEmpty()) {
      caches.setDomains(registry);
    }
  }

  /**
   * Returns the reason why a directory may not show entries as its databases hold them. Empty if
   * the configuration of its servers proves that it does. Without a feed no configuration is read.
   */
  public String nonLocalReason(int directory) {
    FeedRegistry registry = feeds;
    return registry == null ? "there is no feed" : registry.nonLocalReason(directory);
  }

  /** Returns the status of each naming context with a feed. */
  public List<DomainReport> status() {
    FeedRegistry registry = feeds;
    return registry == null ? List.of() : registry.status();
  }

  /** Returns the naming contexts, or directories, without a feed. */
  public List<FeedAbsence> absent() {
    FeedRegistry registry = feeds;
    return registry == null ? List.of() : registry.absent();
  }

  @Override
  public void close() {
    FeedRegistry registry = feeds;
    if (registry != null) {
      registry.close();
    }
    coverageFile.close();
  }
}
