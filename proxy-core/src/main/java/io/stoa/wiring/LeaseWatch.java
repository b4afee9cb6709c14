// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import io.stoa.backend.Backend;
import io.stoa.coherence.CoherenceLease;
import io.stoa.coherence.CoherenceLease.Laggard;
import io.stoa.coherence.ReadIndex;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells people when the lease of a feed that is live has lapsed for longer than a moment, so that
 * no answer rests on the feed, and when it is back: one line for each change. Confined to its event
 * loop, but for {@link #lapse}.
 */
final class LeaseWatch {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseWatch.class);

  /** Three bounds: a server whose answer was lost is asked again after two. */
  private static final int MOMENT_TURNS = 12;

  private final String context;
  private final CoherenceLease lease;
  private final LongSupplier margin;
  private final LongSupplier clock;
  private final long withinNanos;
  private final long momentNanos;
  private long turned;
  private long held;
  private volatile String lapse = "";

  /**
   * Makes it.
   *
   * @param margin that of the lease
   * @param interval between turns: that of the prober
   * @param clock in nanoseconds
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
    this.withinNanos = isStrict() ? ReadIndex.MOST_MARGIN_NANOS : bound;
    this.momentNanos = MOMENT_TURNS * interval.toNanos();
    this.turned = clock.getAsLong();
    this.held = turned;
  }

  /**
   * Looks how it is, as often as servers are asked.
   *
   * @param live whether the feed is: if not, people know that no answer rests on it
   */
  void turn(boolean live) {
    long now = clock.getAsLong();
    boolean holds = !live || hasHeld();
    turned = now;
    held = holds ? now : held;
    boolean lapsed = now - held > momentNanos;
    if (live && lapsed == lapse.isEmpty()) {
      say(lapsed, now);
    }
    lapse = lapsed ? why(now) : "";
  }

  /** Whether any answer can have rested on the feed since the last turn. */
  private boolean hasHeld() {
    long proved = lease.asOf();
    return proved != CoherenceLease.NEVER && proved + withinNanos - turned > 0;
  }

  private void say(boolean lapsed, long now) {
    if (lapsed) {
      String otherwise = isStrict() ? "each is asked of the directory" : "all have their age";
      LOG.warn(
          "feed of {}: live, and yet no answer rests on it, but {}: {}",
          context,
          otherwise,
          why(now));
    } else {
      LOG.info(
          "feed of {}: answers rest on it again: what it vouches for is at most {} ms old",
          context,
          lease.bound().toMillis());
    }
  }

  private boolean isStrict() {
    return lease.bound().isZero();
  }

  private String why(long now) {
    Laggard last = lease.laggard();
    if (last == null) {
      return "all servers that take writes are drained, and gone";
    }
    if (last.heard() == CoherenceLease.NEVER || now - last.heard() > momentNanos) {
      return name(last.server())
          + " does not say how far it has got: it must answer, and show contextCSN to who asks"
          + " (probe.bindDn, or feed.bindDn where the feed comes from), or be drained if nobody"
          + " writes there";
    }
    if (margin.getAsLong() >= withinNanos) {
      String must =
          isStrict()
              ? "with cache.maxStaleness 0 it may take %d ms"
                  .formatted(TimeUnit.NANOSECONDS.toMillis(withinNanos / 2))
              : "cache.maxStaleness must be more than twice that";
      return "a write took %d ms about a minute ago or less: "
              .formatted(TimeUnit.NANOSECONDS.toMillis(margin.getAsLong() / 2))
          + must;
    }
    return "it lags behind " + name(last.server()) + ", whose changes must reach it sooner";
  }

  private static Object name(Object server) {
    return server instanceof Backend backend ? backend.address() : server;
  }

  /** Why the lease has lapsed though the feed is live; empty if it has not. Thread-safe. */
  String lapse() {
    return lapse;
  }
}
