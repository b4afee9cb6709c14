// SPDX-License-Identifier: Apache-2.0
package io.stoa.monitor;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.realm.RealmStatus;
import io.stoa.realm.Refusal;
import io.stoa.view.KillCause;
import io.stoa.wiring.RealmReport;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The metrics of feeds of changes, of all naming contexts together. Immutable. */
public record FeedMeters(ProxyNumbers numbers) implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    ProxyMeters.FEED_LIVE.bind(registry, numbers, now -> count(now.status(), RealmReport::isLive));
    ProxyMeters.FEED_LAPSED.bind(registry, numbers, now -> count(now.status(), FeedMeters::lapsed));
    sum(registry, ProxyMeters.FEED_CHANGES, RealmStatus::changes);
    sum(registry, ProxyMeters.FEED_GAPS, RealmStatus::gaps);
    sum(registry, ProxyMeters.FEED_FILLS, RealmStatus::fills);
    sum(registry, ProxyMeters.FEED_VIEWS, RealmStatus::views);
    sum(registry, ProxyMeters.FEED_UNPROVED, RealmStatus::unproved);
    sum(registry, ProxyMeters.FEED_AMENDED, RealmStatus::amendments);
    sum(registry, ProxyMeters.FEED_PHANTOMS, RealmStatus::phantoms);
    sum(registry, ProxyMeters.FEED_CONFIRMS, RealmStatus::confirms);
    sum(registry, ProxyMeters.FEED_EVALUATIONS, RealmStatus::evaluations);
    sum(registry, ProxyMeters.FEED_UNKNOWN, RealmStatus::unknown);
    sum(registry, ProxyMeters.FEED_MISSES, RealmStatus::misses);
    sum(registry, ProxyMeters.FEED_RING, RealmStatus::ringSize);
    ProxyMeters.FEED_RING_SPAN.bind(registry, numbers, now -> ringSpan(now.status()));
    ProxyMeters.FEED_LEASE_AGE.bind(registry, numbers, now -> leaseAge(now.status()));
    ProxyMeters.FEED_MARGIN.bind(registry, numbers, now -> margin(now.status()));
    for (Refusal cause : Refusal.values()) {
      by(registry, ProxyMeters.FEED_REFUSED, cause, it -> it.refusals().getOrDefault(cause, 0L));
    }
    for (KillCause cause : KillCause.values()) {
      by(registry, ProxyMeters.FEED_KILLS, cause, it -> it.kills().getOrDefault(cause, 0L));
    }
  }

  private void sum(MeterRegistry registry, ProxyMeters meter, ToDoubleFunction<RealmStatus> value) {
    meter.bind(registry, numbers, now -> sum(now.status(), value));
  }

  private void by(
      MeterRegistry registry,
      ProxyMeters meter,
      Enum<?> cause,
      ToDoubleFunction<RealmStatus> value) {
    String word = cause.name().toLowerCase(Locale.ROOT);
    meter.bind(registry, word, numbers, now -> sum(now.status(), value));
  }

  private static double sum(ProxySnapshot status, ToDoubleFunction<RealmStatus> value) {
    return status.feeds().stream().map(RealmReport::realm).mapToDouble(value).sum();
  }

  private static boolean lapsed(RealmReport feed) {
    return !feed.lapse().isEmpty();
  }

  private static double count(ProxySnapshot status, Predicate<RealmReport> which) {
    return status.feeds().stream().filter(which).count();
  }

  private static double margin(ProxySnapshot status) {
    long nanos = status.feeds().stream().mapToLong(RealmReport::marginNanos).max().orElse(0);
    return nanos / (double) TimeUnit.SECONDS.toNanos(1);
  }

  private static double ringSpan(ProxySnapshot status) {
    long nanos =
        status.feeds().stream().mapToLong(feed -> feed.realm().ringNanos()).min().orElse(0);
    return nanos / (double) TimeUnit.SECONDS.toNanos(1);
  }

  /** Of the one that is furthest behind; not a number if one was never known. */
  private static double leaseAge(ProxySnapshot status) {
    double most = status.feeds().isEmpty() ? Double.NaN : 0;
    for (RealmReport feed : status.feeds()) {
      double age = feed.leaseAgeNanos() / (double) TimeUnit.SECONDS.toNanos(1);
      most = feed.leaseAgeNanos() < 0 ? Double.NaN : Math.max(most, age);
    }
    return most;
  }
}
