// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.syncrepl.Continuity;
import io.stoa.feed.syncrepl.FeedConfig.Restarts;
import io.stoa.feed.syncrepl.ServerWatch;
import io.stoa.upstream.server.Backend;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Proves that no slapd that may answer was restarted, or had its clock set back.
 *
 * <p>A database may be edited while its server is down; neither a sync search nor {@code
 * contextCSN} reports that. Nor do they report writes whose CSNs come from a clock that was set
 * back.
 *
 * <p>Threading: thread-safe.
 */
final class RestartWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RestartWatch.class);

  private final DirectoryFeedContext feedContext;
  private final String context;
  private final BiConsumer<FeedGap, String> gap;
  private final Map<String, ServerWatch> watches = new HashMap<>();
  private final Set<String> hidden = new HashSet<>();
  private volatile boolean begun;
  private boolean closed;

  /**
   * Creates a watch.
   *
   * @param gap called on any thread with the kind of the gap and its reason
   */
  RestartWatch(DirectoryFeedContext feedContext, String context, BiConsumer<FeedGap, String> gap) {
    this.feedContext = feedContext;
    this.context = context;
    this.gap = gap;
  }

  /**
   * Checks each server once. A server that is read for the first time later counts as restarted.
   *
   * @param onComplete runs on any thread when each server has answered or is unreachable
   */
  void begin(Collection<Backend> servers, Runnable onComplete) {
    Runnable start =
        () -> {
          begun = true;
          onComplete.run();
        };
    AtomicInteger pending = new AtomicInteger(servers.size() + 1);
    Runnable onChecked =
        () -> {
          if (pending.decrementAndGet() == 0) {
            start.run();
          }
        };
    for (Backend server : servers) {
      ServerWatch watch = of(server);
      if (watch == null) {
        onChecked.run();
      } else {
        watch.check(continuity -> onChecked.run());
      }
    }
    onChecked.run();
  }

  private synchronized @Nullable ServerWatch of(Backend server) {
    FeedServer feedServer = closed ? null : feedContext.servers().feedServer(server);
    if (feedServer == null) {
      return null;
    }
    return watches.computeIfAbsent(feedServer.name(), name -> watch(feedServer));
  }

  private ServerWatch watch(FeedServer server) {
    SdkLink link =
        new SdkLink(
            feedContext.account(),
            feedContext.upstream().get().connectTimeout(),
            feedContext.upstream().get().maxResponse());
    return new ServerWatch(link, server);
  }

  /** Watches only these servers from now on. */
  synchronized void keep(Collection<Backend> servers) {
    Set<String> removed = new HashSet<>(watches.keySet());
    servers.forEach(server -> removed.remove(server.address().toString()));
    for (String name : removed) {
      ServerWatch watch = watches.remove(name);
      if (watch != null) {
        watch.close();
      }
    }
  }

  /**
   * Checks that a server is still the same process.
   *
   * @param receiver receives true on the loop if that is proved; not called without an answer
   */
  void verify(Backend server, Consumer<Boolean> receiver) {
    ServerWatch watch = of(server);
    if (watch == null) {
      receiver.accept(isTrusted());
    } else {
      watch.check(continuity -> deliver(receiver, proves(server, watch, continuity)));
    }
  }

  private void deliver(Consumer<Boolean> receiver, boolean proved) {
    try {
      feedContext.loop().execute(() -> receiver.accept(proved));
    } catch (RejectedExecutionException e) {
      LOG.debug("the feed of {} is closed", context, e);
    }
  }

  private boolean proves(Backend server, ServerWatch watch, Continuity continuity) {
    boolean writes = server.isPrimary();
    switch (continuity) {
      case FIRST, SAME, RESTARTED -> warnIfHidden(watch);
      default -> {}
    }
    return switch (continuity) {
      case SAME, DOWN -> true;
      case FIRST -> !begun || reportRestart(watch, "was not reached before");
      case RESTARTED ->
          reportRestart(watch, "was restarted, or may have been")
              && !(writes && watch.isClockBehind());
      case CLOCK_SET_BACK ->
          !writes || reportGap(FeedGap.CLOCK_SET_BACK, watch, "had its clock set back");
      case CLOCK_BEHIND -> !writes;
      case UNKNOWN -> isTrusted() || (!writes && !server.health().isUp());
    };
  }

  private boolean isTrusted() {
    return feedContext.config().feed().restarts() == Restarts.TRUSTED;
  }

  private boolean reportRestart(ServerWatch watch, String description) {
    return isTrusted() || reportGap(FeedGap.RESTARTED, watch, description);
  }

  /** Reports a gap. Returns false, since nothing is proved before the gap has been applied. */
  private boolean reportGap(FeedGap kind, ServerWatch watch, String description) {
    gap.accept(kind, watch.server() + ": it " + description);
    return false;
  }

  private synchronized void warnIfHidden(ServerWatch watch) {
    String name = watch.server().name();
    if (watch.isClockKnown()) {
      hidden.remove(name);
    } else if (hidden.add(name)) {
      LOG.warn(
          "feed of {}: on {}, its account cannot read monitorTimestamp of "
              + "cn=Start,cn=Time,cn=Monitor and cn=Current,cn=Time,cn=Monitor. Each lost "
              + "connection counts as a restart, and invalidates all results held by the "
              + "feed",
          context,
          name);
    }
  }

  /**
   * True if a clock that is set back while the feed is cut off is noticed, or clocks are trusted.
   */
  boolean provesClocks() {
    return isTrusted() || feedContext.servers().writable().stream().allMatch(this::isClockKnown);
  }

  private boolean isClockKnown(Backend server) {
    ServerWatch watch = of(server);
    return watch != null && watch.isClockKnown();
  }

  /** Returns why a server has proved nothing, for administrators; empty if it has answered. */
  synchronized String why(Object server) {
    if (!(server instanceof Backend backend) || isTrusted()) {
      return "";
    }
    ServerWatch watch = watches.get(backend.address().toString());
    return watch == null ? "its domain names no server" : watch.lastFailure();
  }

  @Override
  public synchronized void close() {
    closed = true;
    watches.values().forEach(ServerWatch::close);
    watches.clear();
  }
}
