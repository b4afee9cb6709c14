// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.coherence.freshness.WriteLatency;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.tls.TlsContext;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.health.Probes;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.Backend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The feeds of a directory, one for each of its naming contexts.
 *
 * <p>Threading: thread-safe.
 */
final class Feeds implements CoherenceDomains, AutoCloseable {
  /** Maximum number of naming contexts with a feed: 16. Results of further ones expire by age. */
  private static final int MAX_CONTEXTS = 16;

  /** Trees of the server itself, whose changes it does not report. */
  private static final List<String> OWN_TREES =
      List.of("cn=config", "cn=monitor", "cn=accesslog", "cn=schema", "cn=changelog", "cn=log");

  private static final int BASE = 0;

  private static final Logger LOG = LoggerFactory.getLogger(Feeds.class);

  private final DirectoryFeedContext context;
  private final DirectoryDescriptor directory;
  private volatile List<NamingContextFeed> feeds = List.of();

  /** Number of changes of rights that all feeds have reported, ended ones included. */
  private final AtomicLong rightsChanges = new AtomicLong();

  private volatile List<NormalDn> contexts = List.of();
  private volatile ServerProfile profile = ServerProfile.EXACT;
  private final AgeOnlyTracking ageOnly;
  private boolean closed;
  private String loggedAbsence = "";
  private volatile String nonLocalReason = "there is no feed yet";

  /**
   * Creates the feeds; none starts before the schema of the directory is known.
   *
   * @param account the credentials of the feeds
   * @param directory the directory
   */
  Feeds(
      CoherenceConfig config,
      FeedCredentials account,
      Supplier<UpstreamConfig> upstream,
      DirectoryDescriptor directory,
      Services services) {
    this.directory = directory;
    this.ageOnly = new AgeOnlyTracking(directory, services.maxAge());
    Supplier<UpstreamTransport> transport = () -> upstream.get().transport();
    this.context =
        new DirectoryFeedContext(
            config,
            account,
            upstream,
            new FeedServers(directory.branch(), transport, services.tls()),
            services.probes(),
            services.secret(),
            services.onChange(),
            services.loop(),
            new WriteLatency(System::nanoTime),
            services.maxAge(),
            services.coverageFile());
    directory.branch().onRemoved(server -> onServersChanged());
  }

  /**
   * Called when a server was removed. Synchronized, so that no feed starts meanwhile with the old
   * servers.
   */
  private synchronized void onServersChanged() {
    feeds.forEach(NamingContextFeed::onServersChanged);
  }

  /**
   * One of the directories.
   *
   * <p>Threading: immutable.
   *
   * @param title the name shown to administrators
   * @param logSuffix a suffix of log lines that names the directory; empty if it is the only one
   * @param branch its servers
   * @param part returns the part of a naming context that the directory is asked for, as shown to
   *     administrators. Empty for all of it; null if it is asked for nothing there
   */
  record DirectoryDescriptor(
      String title, String logSuffix, ServerGroup branch, Function<String, @Nullable String> part) {
    /**
     * Returns its naming contexts, except trees of the server itself and those it is not asked for.
     */
    List<String> contexts(ServerProfile profile) {
      return profile.contextNames().stream()
          .filter(name -> !OWN_TREES.contains(name.toLowerCase(Locale.ROOT)))
          .filter(name -> part.apply(name) != null)
          .toList();
    }

    /**
     * Returns the name of a naming context, with the directory's part if another one has it, too.
     */
    String displayName(String context) {
      String name = part.apply(context);
      return name == null || name.isEmpty() ? context : context + " for " + name;
    }
  }

  /**
   * Collaborators of the feeds.
   *
   * <p>Threading: immutable.
   *
   * @param secret true for the descriptions of attributes that must not be stored
   * @param onChange runs after each change and each gap
   * @param loop the loop on which servers are asked for their positions
   * @param maxAge the maximum age of results that no feed holds
   * @param tls the TLS context for servers; null if none is reached by TLS
   * @param coverageFile the file with the proof of coverage for the next start
   */
  record Services(
      Probes probes,
      Predicate<byte[]> secret,
      Runnable onChange,
      EventExecutor loop,
      Duration maxAge,
      @Nullable TlsContext tls,
      CoverageFile coverageFile) {}

  /** Returns the recent latency of writes in this directory. */
  WriteLatency latency() {
    return context.latency();
  }

  /** True if the server belongs to this directory. */
  boolean isServedBy(Object server) {
    return directory.branch().backends().stream().anyMatch(backend -> backend == server);
  }

  /**
   * Returns the reason why the servers may not show entries as their databases hold them. Empty if
   * it is proved that they do. While no server is usable the last proof stands: then nothing is
   * read, and stored results may be served if the administrator has allowed it.
   */
  String nonLocalReason() {
    if (directory.branch().backends().stream().anyMatch(Backend::isUsable)) {
      List<NamingContextFeed> current = feeds;
      nonLocalReason =
          current.isEmpty()
              ? "there is no feed"
              : current.stream()
                  .map(NamingContextFeed::nonLocalReason)
                  .filter(Objects::nonNull)
                  .findFirst()
                  .orElse("");
    }
    return nonLocalReason;
  }

  /** Called when the schema of the directory is known or has changed. */
  synchronized void setSchema(ServerProfile next) {
    if (closed) {
      return;
    }
    FeedKind kind = kind(next);
    List<String> wanted =
        kind == null || !next.evaluationSchema().isKnown()
            ? List.of()
            : trees(next).stream().limit(MAX_CONTEXTS).toList();
    logAbsence(next);
    List<NamingContextFeed> remaining = new ArrayList<>();
    for (NamingContextFeed feed : feeds) {
      if (wanted.contains(feed.context()) && feed.kind() == kind) {
        feed.setSchema(next);
        remaining.add(feed);
      }
    }
    if (kind != null) {
      wanted.stream()
          .filter(name -> remaining.stream().noneMatch(feed -> feed.context().equals(name)))
          .forEach(
              name ->
                  remaining.add(new NamingContextFeed(name, kind, context, next, rightsChanges)));
    }
    profile = next;
    contexts = next.namingContexts();
    List<NamingContextFeed> ended = new ArrayList<>(feeds);
    ended.removeAll(remaining);
    feeds = List.copyOf(remaining);
    ended.forEach(NamingContextFeed::retire);
  }

  @Override
  public long rightsChanges() {
    return rightsChanges.get();
  }

  private @Nullable FeedKind kind(ServerProfile profile) {
    return context.config().feed().kind(profile.kind());
  }

  /** Returns the naming contexts that hold entries of the directory, without its accesslog. */
  private List<String> trees(ServerProfile profile) {
    String log = context.config().feed().accesslog();
    return directory.contexts(profile).stream()
        .filter(name -> !name.equalsIgnoreCase(log))
        .toList();
  }

  /** Logs why there is no feed. Nothing is logged before the directory is known. */
  private void logAbsence(ServerProfile next) {
    String reason = absence(next);
    boolean serverKnown = next.kind() != ServerKind.UNKNOWN;
    if (serverKnown && !reason.isEmpty() && !reason.equals(loggedAbsence)) {
      loggedAbsence = reason;
      LOG.warn(
          "change feed disabled{}: {}; {}",
          directory.logSuffix(),
          reason,
          FeedStats.ageText(context.maxAge()));
    }
  }

  /** Returns the reason why the directory has no feed at all; empty if it has one. */
  private String absence(ServerProfile profile) {
    ServerKind servers = profile.kind();
    if (servers == ServerKind.UNKNOWN) {
      return "the product is unknown: no server has shown its root DSE, which is read "
          + "anonymously";
    }
    if (kind(profile) == null) {
      String mode = context.config().feed().mode().name().toLowerCase(Locale.ROOT);
      return "feed.mode " + mode + " offers no feed for " + servers;
    }
    if (!profile.evaluationSchema().isKnown()) {
      return "the schema is not readable anonymously, so filters cannot be evaluated: "
          + "allow anonymous read of the entry in subschemaSubentry of the root DSE";
    }
    return trees(profile).isEmpty() ? "the root DSE names no naming context" : "";
  }

  /** Returns everything without a feed, and the reasons. */
  List<FeedAbsence> absent() {
    ServerProfile now = profile;
    String reason = absence(now);
    return reason.isEmpty()
        ? ageOnly.of(
            trees(now).stream().skip(MAX_CONTEXTS).toList(),
            "only the first " + MAX_CONTEXTS + " naming contexts have feeds")
        : ageOnly.all(now, reason);
  }

  @Override
  public @Nullable FeedCoverage coverageOf(Operation read) {
    RequestOp op = read.request().op();
    byte[] target = op.target();
    NormalDn base = target == null ? null : NormalDn.of(target, profile);
    boolean below = op instanceof SearchOp search && search.scope() != BASE;
    return base == null || (below && holdsAnother(base)) ? null : holding(base);
  }

  /** True if another naming context begins below the base, where a search continues. */
  private boolean holdsAnother(NormalDn base) {
    return contexts.stream()
        .anyMatch(context -> context.isBelowOrEqual(base) && !base.isBelowOrEqual(context));
  }

  @Override
  public @Nullable FeedCoverage coverageOf(byte[] entry) {
    return holding(NormalDn.of(entry, profile));
  }

  private @Nullable FeedCoverage holding(NormalDn entry) {
    NamingContextFeed feed = feed(entry);
    return feed == null ? null : feed.feedCoverage();
  }

  /** Returns a reader of the entry with the feed's account; null if no feed covers the entry. */
  @Nullable PrivilegedReader reader(byte[] entry) {
    NamingContextFeed feed = feed(NormalDn.of(entry, profile));
    return feed == null ? null : feed.reader();
  }

  /** Returns the feed of the deepest naming context that holds the entry. */
  private @Nullable NamingContextFeed feed(NormalDn entry) {
    NamingContextFeed deepest = null;
    int depth = -1;
    for (NamingContextFeed feed : feeds) {
      NormalDn context = NormalDn.of(feed.base(), profile);
      if (entry.isBelowOrEqual(context) && context.depth() > depth) {
        deepest = feed;
        depth = context.depth();
      }
    }
    return deepest;
  }

  @Override
  public Collection<FeedCoverage> writtenBy(OwnChange change) {
    return all();
  }

  @Override
  public Collection<FeedCoverage> all() {
    return feeds.stream().map(NamingContextFeed::feedCoverage).toList();
  }

  /** Returns the status of each feed. */
  List<DomainReport> status() {
    return feeds.stream()
        .map(NamingContextFeed::report)
        .map(it -> it.named(directory.displayName(it.context())))
        .toList();
  }

  @Override
  public synchronized void close() {
    closed = true;
    feeds.forEach(NamingContextFeed::close);
    feeds = List.of();
  }
}
