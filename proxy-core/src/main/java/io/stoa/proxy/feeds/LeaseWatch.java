// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.coherence.freshness.CoherenceLease;
import io.stoa.coherence.freshness.CoherenceLease.Laggard;
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
 * Tells people when the lease of a feed that is live has lapsed for longer than a moment, so that
 * no answer rests on the feed, and when it is back for good: one line for each change that lasts,
 * and how often it had lapsed until then. Confined to its event loop, but for {@link #lapse}.
 */
public final class LeaseWatch {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseWatch.class);

  /** Three bounds: a server whose answer was lost is asked again after one. */
  private static final int MOMENT_TURNS = 12;

  /** A write that takes long keeps it from holding for a minute: another may come in the next. */
  private static final long LASTING_NANOS = TimeUnit.MINUTES.toNanos(2);

  /** More kinds of causes than these are not told. */
  private static final int MOST_SAID = 32;

  private final String context;
  private final CoherenceLease lease;
  private final LongSupplier margin;
  private final LongSupplier clock;
  private Function<Object, String> unproved = server -> "";
  private final long withinNanos;
  private final long momentNanos;
  private long turned;
  private long held;

  /** How often it has lapsed since people were told that it had; 0 if they know of none. */
  private int lapses;

  private long lapsedAt;
  private volatile String lapse = "";

  /** Of which kinds the causes were that people have been told since then. */
  private final Set<String> said = new HashSet<>();

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
   * Makes restarts a cause.
   *
   * @param how why a server is not known to be the process that it was, for people; empty if it is
   */
  void explain(Function<Object, String> how) {
    unproved = how;
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
    if (lapsed) {
      lapsed(now);
    } else if (!live) {
      forget();
    } else if (lapses > 0 && now - lapsedAt >= LASTING_NANOS) {
      lasts();
    }
    lapse = lapsed ? why(now) : "";
  }

  /** Whether any answer can have rested on the feed since the last turn. */
  private boolean hasHeld() {
    long proved = lease.asOf();
    return proved != CoherenceLease.NEVER && proved + withinNanos - turned > 0;
  }

  private void lapsed(long now) {
    lapsedAt = now;
    if (lapse.isEmpty()) {
      lapses++;
    }
    String why = why(now);
    String kind = why.replaceAll("\\d+ ms", "");
    if (lapse.isEmpty() && said.size() < MOST_SAID && said.add(kind)) {
      String otherwise = isStrict() ? "each is asked of the directory" : "all have their age";
      LOG.warn(
          "feed of {}: live, and yet no answer has rested on it for {} ms, but {}, until it is proved"
              + " again: {}",
          context,
          TimeUnit.NANOSECONDS.toMillis(momentNanos),
          otherwise,
          why);
    }
  }

  private void lasts() {
    LOG.info(
        "feed of {}: answers rest on it again, and have for {} s: what it vouches for is at most"
            + " {} ms old; before that none did {}",
        context,
        TimeUnit.NANOSECONDS.toSeconds(LASTING_NANOS),
        lease.bound().toMillis(),
        lapses == 1 ? "once" : lapses + " times");
    forget();
  }

  private void forget() {
    lapses = 0;
    said.clear();
  }

  private boolean isStrict() {
    return lease.bound().isZero();
  }

  private String why(long now) {
    Laggard last = lease.laggard();
    if (last == null) {
      return "all servers that take writes are drained, and gone";
    }
    String restarted = unproved.apply(last.server());
    if (!restarted.isEmpty()) {
      return name(last.server())
          + " may have been restarted: the feed's account cannot ask it ("
          + restarted
          + "); it must answer, or be drained if it is not used";
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
    return "it lags behind "
        + name(last.server())
        + ": if it comes from there, something was deleted that its account cannot see; else changes"
        + " of that server must reach it sooner";
  }

  private static Object name(Object server) {
    return server instanceof Backend backend ? backend.address() : server;
  }

  /** Why the lease has lapsed though the feed is live; empty if it has not. Thread-safe. */
  String lapse() {
    return lapse;
  }
}
