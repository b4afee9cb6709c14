// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.coherence.freshness.WriteLatency;
import io.stoa.feed.accesslog.LogOrigin;
import io.stoa.feed.changelog.ChangelogFeed;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.Mode;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.feed.syncrepl.FeedSupervisor;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.feed.syncrepl.SyncReplFeed;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.csn.PositionReader;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.upstream.health.Probes;
import io.stoa.upstream.pool.UpstreamConfig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collaborators and settings shared by the feeds of a directory.
 *
 * <p>Threading: immutable.
 *
 * @param account the credentials of the feeds
 * @param upstream the current configuration of the servers
 * @param secret true for the descriptions of attributes that must not be stored
 * @param onChange runs after each change and each gap
 * @param loop the loop on which servers are asked for their positions
 * @param latency the recent latency of writes
 * @param maxAge the maximum age of results that no feed holds
 * @param coverageFile the file with the proof of coverage for the next start
 */
record DirectoryFeedContext(
    CoherenceConfig config,
    FeedCredentials account,
    Supplier<UpstreamConfig> upstream,
    FeedServers servers,
    Probes probes,
    Predicate<byte[]> secret,
    Runnable onChange,
    EventExecutor loop,
    WriteLatency latency,
    Duration maxAge,
    CoverageFile coverageFile) {
  private static final Logger LOG = LoggerFactory.getLogger(DirectoryFeedContext.class);

  /** Initial timeout for a server to report the changes since a feed was cut off: 1 min. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Returns the name of a naming context in positions. */
  String positionName(String context) {
    return context.toLowerCase(Locale.ROOT).replace(" ", "");
  }

  /** Returns the time by which a lease ends sooner, in ns: see {@link WriteLatency}. */
  LongSupplier margin(FeedKind kind) {
    return kind.mayOmitAcknowledged() ? latency : () -> WriteLatency.MIN_NANOS;
  }

  /**
   * Creates a feed that has not started. Every kind but the changelog is a sync search. {@code
   * feed.mode} decides whether it reads the accesslog; in AUTO {@link LogOrigin} does.
   */
  FeedSupervisor feed(FeedKind kind, String context, SyncContext sync, FeedSink sink) {
    FeedSupervisor.Config supervision = supervision(context);
    Supplier<List<FeedServer>> holders = servers::candidates;
    if (kind == FeedKind.CHANGELOG) {
      return new ChangelogFeed(supervision, sync, holders, sink);
    }
    FeedConfig feed = config.feed();
    return feed.mode() == Mode.SYNCREPL
        ? new SyncReplFeed(supervision, sync, holders, sink)
        : new SyncReplFeed(supervision, sync, holders, sink, new LogOrigin(feed, sync, context));
  }

  private FeedSupervisor.Config supervision(String context) {
    UpstreamConfig now = upstream.get();
    return new FeedSupervisor.Config(
        context,
        account,
        now.connectTimeout(),
        config.feed().keepAlive(),
        PATIENCE,
        now.maxResponse(),
        new FeedStats.Bounds(config.maxStaleness(), maxAge));
  }

  /** Delivers an answer on the loop, unless the loop has ended. */
  void deliver(String context, Position position, Consumer<Position> receiver) {
    try {
      loop.execute(() -> receiver.accept(position));
    } catch (RejectedExecutionException e) {
      LOG.debug("the feed of {} is closed", context, e);
    }
  }

  /**
   * Asks a server other than that of the feed for its position. The answer arrives on the loop; it
   * is empty if the server does not answer or shows no position.
   */
  void requestPosition(Object server, String context, Consumer<Position> receiver) {
    SearchParameters parameters =
        SearchParameters.entry(
            context.getBytes(StandardCharsets.UTF_8), List.of(PositionReader.CONTEXT_CSN));
    probes.all().stream()
        .filter(probe -> probe.backend() == server)
        .findFirst()
        .ifPresentOrElse(
            probe -> probe.search(parameters, found -> onAnswered(context, found.read(), receiver)),
            () -> onAnswered(context, null, receiver));
  }

  private void onAnswered(String context, byte @Nullable [] entry, Consumer<Position> receiver) {
    Position position =
        entry == null ? Position.NONE : PositionReader.of(positionName(context), entry);
    deliver(context, position, receiver);
  }
}
