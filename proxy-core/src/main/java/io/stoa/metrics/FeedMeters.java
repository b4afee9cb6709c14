// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.feed.event.FeedAbsence;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Binds the metrics of the change feeds, by naming context. The naming contexts become known only
 * when the directories are read, and may change later.
 *
 * <p>Threading: thread-safe.
 */
public final class FeedMeters implements MeterBinder {
  /** The tag for the naming context. Its value is the name that is shown to administrators. */
  static final String CONTEXT = "context";

  /** Value of the tag {@code state} for a naming context without a feed. */
  private static final String NONE = "none";

  /**
   * Maximum number of naming contexts without a feed that get metrics: 16. A directory may have
   * many of them, and tag values must stay bounded.
   */
  private static final int MAX_WITHOUT_FEED = 16;

  /**
   * Causes that void earlier reads as a whole. The results affected are not looked up, so {@link
   * ProxyMeters#FEED_INVALIDATIONS} does not count them.
   */
  public enum AdvanceCause {
    /** Access rights. */
    RIGHTS,
    /** Attributes that the directory derives from groups, or repairs by referential integrity. */
    DERIVED
  }

  private final ProxyNumbers numbers;

  /** The bound naming contexts; true if the naming context has a feed. */
  private final Map<String, Boolean> bound = new HashMap<>();

  public FeedMeters(ProxyNumbers numbers) {
    this.numbers = numbers;
  }

  /**
   * Binds metrics of new naming contexts and removes those of vanished ones. Called before each
   * scrape, too.
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    Map<String, Boolean> now = new HashMap<>();
    numbers.status().withoutFeed().stream()
        .limit(MAX_WITHOUT_FEED)
        .map(FeedAbsence::name)
        .forEach(one -> now.put(one, false));
    numbers.status().feeds().stream().map(DomainReport::context).forEach(one -> now.put(one, true));
    for (Map.Entry<String, Boolean> one : List.copyOf(bound.entrySet())) {
      if (!one.getValue().equals(now.get(one.getKey()))) {
        forget(registry, one.getKey());
      }
    }
    now.forEach(
        (context, fed) -> {
          if (bound.putIfAbsent(context, fed) == null) {
            bindStates(registry, context);
            if (fed) {
              bindFeed(registry, context);
            }
          }
        });
  }

  private void forget(MeterRegistry registry, String context) {
    bound.remove(context);
    registry.getMeters().stream()
        .filter(meter -> context.equals(meter.getId().getTag(CONTEXT)))
        .forEach(registry::remove);
  }

  private void bindStates(MeterRegistry registry, String context) {
    DomainReport.STATES.forEach(state -> bindState(registry, context, state));
    bindState(registry, context, NONE);
  }

  private void bindState(MeterRegistry registry, String context, String state) {
    ProxyMeters.FEED_STATE.bind(
        registry,
        List.of(context, state),
        numbers,
        now -> state.equals(state(now.status(), context)) ? 1 : 0);
  }

  private static String state(ProxyStatus status, String context) {
    return status.feeds().stream()
        .filter(feed -> feed.context().equals(context))
        .map(DomainReport::state)
        .findFirst()
        .orElse(NONE);
  }

  private void bindFeed(MeterRegistry registry, String context) {
    Bound feedBound = new Bound(registry, numbers, context);
    feedBound.bind(ProxyMeters.FEED_LIVE, feed -> feed.isLive() ? 1 : 0);
    feedBound.bind(ProxyMeters.FEED_LAPSED, feed -> feed.unservedReason().isEmpty() ? 0 : 1);
    feedBound.bind(ProxyMeters.FEED_LEASE_AGE, FeedMeters::leaseAge);
    feedBound.bind(ProxyMeters.FEED_MARGIN, feed -> seconds(feed.marginNanos()));
    feedBound.bind(ProxyMeters.FEED_CHANGES, feed -> feed.domain().changes());
    feedBound.bind(ProxyMeters.FEED_GAPS, feed -> feed.domain().gaps());
    feedBound.bind(ProxyMeters.FEED_FILLS, feed -> feed.domain().fills());
    feedBound.bind(ProxyMeters.FEED_VIEWS, feed -> feed.domain().views());
    feedBound.bind(ProxyMeters.FEED_UNPROVED, feed -> feed.domain().unverified());
    feedBound.bind(ProxyMeters.FEED_UPDATES, feed -> feed.domain().updates());
    feedBound.bind(
        ProxyMeters.FEED_WATERMARK_ADVANCES, AdvanceCause.RIGHTS, DomainReport::revocations);
    feedBound.bind(
        ProxyMeters.FEED_WATERMARK_ADVANCES, AdvanceCause.DERIVED, DomainReport::derivations);
    bindDoubts(feedBound);
    for (Refusal cause : Refusal.values()) {
      feedBound.bind(
          ProxyMeters.FEED_REFUSED,
          cause,
          feed -> feed.domain().refusals().getOrDefault(cause, 0L));
    }
    for (InvalidationCause cause : InvalidationCause.values()) {
      feedBound.bind(
          ProxyMeters.FEED_INVALIDATIONS,
          cause,
          feed -> feed.domain().invalidations().getOrDefault(cause, 0L));
    }
  }

  private static void bindDoubts(Bound feedBound) {
    feedBound.bind(ProxyMeters.FEED_CHANGES_ABORTED, feed -> feed.domain().abortedChanges());
    feedBound.bind(ProxyMeters.FEED_VISIBILITY_CHECKS, feed -> feed.domain().entriesRead());
    feedBound.bind(ProxyMeters.FEED_EVALUATIONS, feed -> feed.domain().evaluations());
    feedBound.bind(ProxyMeters.FEED_UNKNOWN, feed -> feed.domain().unknown());
    feedBound.bind(ProxyMeters.FEED_MISSES, feed -> feed.domain().missedChanges());
    feedBound.bind(ProxyMeters.FEED_INCOHERENT, feed -> feed.domain().mismatches());
    feedBound.bind(ProxyMeters.FEED_RING, feed -> feed.domain().ringSize());
    feedBound.bind(ProxyMeters.FEED_RING_SPAN, feed -> seconds(feed.domain().ringNanos()));
  }

  private static double leaseAge(DomainReport feed) {
    return feed.leaseAgeNanos() < 0 ? Double.NaN : seconds(feed.leaseAgeNanos());
  }

  private static double seconds(long nanos) {
    return nanos / (double) TimeUnit.SECONDS.toNanos(1);
  }

  /**
   * The meters of one feed.
   *
   * <p>Threading: immutable.
   */
  private record Bound(MeterRegistry registry, ProxyNumbers numbers, String context) {
    void bind(ProxyMeters meter, ToDoubleFunction<DomainReport> value) {
      meter.bind(registry, context, numbers, now -> read(now.status(), value));
    }

    void bind(ProxyMeters meter, Enum<?> cause, ToDoubleFunction<DomainReport> value) {
      List<String> tags = List.of(context, cause.name().toLowerCase(Locale.ROOT));
      meter.bind(registry, tags, numbers, now -> read(now.status(), value));
    }

    /** Returns 0 if the naming context has vanished and its meters are not removed yet. */
    private double read(ProxyStatus status, ToDoubleFunction<DomainReport> value) {
      return status.feeds().stream()
          .filter(feed -> feed.context().equals(context))
          .mapToDouble(value)
          .sum();
    }
  }
}
