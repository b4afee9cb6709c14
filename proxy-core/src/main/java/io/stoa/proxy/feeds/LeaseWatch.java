// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.freshness.CoherenceLease;
import io.stoa.coherence.freshness.CoherenceLease.LaggingServer;
import io.stoa.coherence.freshness.ReadIndex;
import io.stoa.upstream.server.Backend;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs lapses of a live feed's lease. While the lease has lapsed, the feed holds no result.
 *
 * <p>A lapse is logged when it lasts longer than a moment. Its end is logged when the lease holds
 * again for good, with the number of lapses before.
 *
 * <p>Threading: event loop, except {@link #lapse}.
 */
public final class LeaseWatch {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseWatch.class);

  /**
   * Number of turns after which a lapse is logged: 12, which is three staleness bounds. A server
   * whose answer was lost is asked again after one bound.
   */
  private static final int MOMENT_TURNS = 12;

  /**
   * Time in ns for which the lease must hold before that is logged: 2 min. A long write suspends
   * the lease for a minute, and another one may follow in the next.
   */
  private static final long LASTING_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** Maximum number of different causes that are logged: 32. */
  private static final int MAX_CAUSES = 32;

  private final String context;
  private final CoherenceLease lease;
  private final LongSupplier margin;
  private final LongSupplier clock;
  private Function<Object, String> restartReason = server -> "";
  private final long withinNanos;
  private final long momentNanos;
  private long turnedAt;
  private long heldAt;

  /** Number of lapses since the log said that the lease had lapsed; 0 if it says that it holds. */
  private int lapses;

  private long lapsedAt;
  private volatile String lapse = "";

  /** The kinds of causes logged since then. */
  private final Set<String> loggedCauses = new HashSet<>();

  /**
   * Creates a watch.
   *
   * @param margin the margin of the lease, in ns
   * @param interval the interval between turns, as that of the lease renewer
   * @param clock a monotonic clock, in ns
   */
  LeaseWatch(
      String context,
      CoherenceLease lease,
      LongSupplier margin,
      Duration interval,
      LongSupplier clock) {
    this.context = context;
    this.lease = lease;
    this.margin = margin;
    this.clock = clock;
    long bound = lease.bound().toNanos();
    this.withinNanos = isStrict() ? ReadIndex.MAX_MARGIN_NANOS : bound;
    this.momentNanos = MOMENT_TURNS * interval.toNanos();
    this.turnedAt = clock.getAsLong();
    this.heldAt = turnedAt;
  }

  /**
   * Adds restarts to the causes.
   *
   * @param reason returns the reason why a server is not proved to be the same process; empty if it
   *     is
   */
  void explain(Function<Object, String> reason) {
    restartReason = reason;
  }

  /**
   * Checks the lease; called as often as servers are asked for their positions.
   *
   * @param live true if the feed is live; otherwise its own log lines say that it holds nothing
   */
  void check(boolean live) {
    long now = clock.getAsLong();
    boolean heldNow = !live || hasHeld();
    turnedAt = now;
    heldAt = heldNow ? now : heldAt;
    boolean lapsed = now - heldAt > momentNanos;
    if (lapsed) {
      onLapsed(now);
    } else if (!live) {
      forget();
    } else if (lapses > 0 && now - lapsedAt >= LASTING_NANOS) {
      logRestored();
    }
    lapse = lapsed ? reason(now) : "";
  }

  /** True if the feed could hold a result at some time since the last turn. */
  private boolean hasHeld() {
    long proved = lease.asOf();
    return proved != CoherenceLease.NEVER && proved + withinNanos - turnedAt > 0;
  }

  private void onLapsed(long now) {
    lapsedAt = now;
    if (lapse.isEmpty()) {
      lapses++;
    }
    String reason = reason(now);
    String kind = reason.replaceAll("\\d+ ms", "");
    if (lapse.isEmpty() && loggedCauses.size() < MAX_CAUSES && loggedCauses.add(kind)) {
      String otherwise = isStrict() ? "each search goes to the directory" : "all expire by age";
      LOG.warn(
          "feed of {}: LEASE LAPSED for {} ms: no result is held by the feed, and {} "
              + "until its lease holds again: {}",
          context,
          TimeUnit.NANOSECONDS.toMillis(momentNanos),
          otherwise,
          reason);
    }
  }

  private void logRestored() {
    LOG.info(
        "feed of {}: lease restored, and held for {} s: results held by the feed "
            + "are at most {} ms stale. The lease had lapsed {}",
        context,
        TimeUnit.NANOSECONDS.toSeconds(LASTING_NANOS),
        lease.bound().toMillis(),
        lapses == 1 ? "once" : lapses + " times");
    forget();
  }

  private void forget() {
    lapses = 0;
    loggedCauses.clear();
  }

  private boolean isStrict() {
    return lease.bound().isZero();
  }

  private String reason(long now) {
    LaggingServer last = lease.laggingServer();
    if (last == null) {
      return "all writable servers are drained and down";
    }
    String restarted = restartReason.apply(last.server());
    if (!restarted.isEmpty()) {
      return name(last.server())
          + " may have been restarted: the feed's account cannot query it ("
          + restarted
          + "). Repair it, or drain it if it is not used";
    }
    if (last.lastAskedNanos() == CoherenceLease.NEVER
        || now - last.lastAskedNanos() > momentNanos) {
      return name(last.server())
          + " does not report its position: let it answer, and show contextCSN to the "
          + "account (probe.bindDn, or feed.bindDn on the feed's own server), or drain "
          + "it if it takes no writes";
    }
    if (margin.getAsLong() >= withinNanos) {
      String must =
          isStrict()
              ? "with cache.maxStaleness 0 the limit is %d ms"
                  .formatted(TimeUnit.NANOSECONDS.toMillis(withinNanos / 2))
              : "set cache.maxStaleness to more than twice that";
      return "a write within the last minute took %d ms: "
              .formatted(TimeUnit.NANOSECONDS.toMillis(margin.getAsLong() / 2))
          + must;
    }
    return "the feed lags behind "
        + name(last.server())
        + ": on the feed's own server, an entry invisible to its account was deleted; "
        + "otherwise changes of that server are replicated too slowly";
  }

  private static Object name(Object server) {
    return server instanceof Backend backend ? backend.address() : server;
  }

  /**
   * Returns why the lease has lapsed although the feed is live; empty if it has not. Thread-safe.
   */
  String lapse() {
    return lapse;
  }
}
