// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import static io.stoa.metrics.FeedMeters.CONTEXT;
import static io.stoa.metrics.MeterShape.counter;
import static io.stoa.metrics.MeterShape.gauge;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Every metric of Stoa, described once. The binders supply the values. */
public enum ProxyMeters {
  READY(gauge("stoa.ready"), "1 if Stoa is ready, as readyz says, else 0"),
  EVENT_LOOPS(gauge("stoa.event.loops"), "threads that move octets"),

  CONNECTIONS(gauge("stoa.connections"), "client connections open now"),
  CONNECTIONS_MAX(gauge("stoa.connections.max"), "most client connections"),
  CONNECTIONS_OPENED(counter("stoa.connections.opened"), "client connections accepted"),
  CONNECTIONS_REFUSED(
      counter("stoa.connections.refused"), "clients refused because as many were connected as may"),
  CONNECTIONS_GAVE_WAY(
      counter("stoa.connections.gave.way"),
      "idle clients without a bind that were disconnected to make room for others"),
  CONNECTIONS_THROTTLED(
      counter("stoa.connections.throttled"),
      "times at which a client had as many operations in flight as it may"),
  CONNECTIONS_TIMED_OUT(
      counter("stoa.connections.timed.out").by("reason"),
      "clients disconnected for lack of progress"),
  SASL_BINDS(counter("stoa.sasl.binds"), "binds by SASL that succeeded"),
  TUNNELS(
      counter("stoa.connections.tunnelled"),
      "connections that became tunnels, since client and server agreed on a security layer"),
  CONNECTIONS_PASSED_THROUGH(
      counter("stoa.connections.passed.through"),
      "client connections passed on to a directory server as they are"),
  TLS_HANDSHAKES(
      counter("stoa.tls.handshakes").by("start"), "TLS handshakes of clients that succeeded"),
  TLS_FAILURES(
      counter("stoa.tls.failures").by("reason"),
      "clients that wanted to speak TLS, or should have, and did not"),
  TLS_CERTIFICATE_EXPIRY(
      gauge("stoa.tls.certificate.expiry.timestamp").in("seconds").by("shown_to"),
      "when the certificate in use, or one between it and the root, expires, since 1970; NaN"
          + " without one"),
  TLS_CERTIFICATE_RELOADS(
      counter("stoa.tls.certificate.reloads").by("outcome"),
      "times at which changed files of certificates were taken into use, or could not be"),
  PROTOCOL_ERRORS(
      counter("stoa.protocol.errors").by("reason"),
      "clients disconnected because they broke the protocol"),
  READ_WAITERS(
      gauge("stoa.read.waiters"),
      "client connections with an unfinished request or one that waits its turn"),
  WRITE_WAITERS(
      gauge("stoa.write.waiters"), "client connections with octets that wait to be taken"),
  REQUEST_MEMORY(
      gauge("stoa.request.memory").in("bytes"), "memory that requests without an answer take"),
  REQUESTS_GIVEN_UP(
      counter("stoa.requests.given.up"),
      "clients disconnected because requests without an answer took as much memory as they may"),

  OPERATIONS_RECEIVED(counter("stoa.operations.received").by("operation"), "requests received"),
  OPERATIONS_COMPLETED(
      counter("stoa.operations.completed").by("operation"),
      "operations that have ended: answered, abandoned, or without an answer by their nature"),
  OPERATIONS_REJECTED(
      counter("stoa.operations.rejected").by("reason"), "operations that Stoa itself refused"),
  OPERATIONS_IN_FLIGHT(gauge("stoa.operations.in.flight"), "operations not answered yet"),
  OPERATIONS_QUEUED(
      gauge("stoa.operations.queued"), "operations that wait for an upstream connection"),
  ENTRIES_SENT(counter("stoa.entries.sent"), "entries sent to clients"),
  REFERENCES_SENT(counter("stoa.references.sent"), "references sent to clients"),
  OCTETS_SENT(counter("stoa.sent").in("bytes"), "octets written for clients"),

  CACHE_ENABLED(gauge("stoa.cache.enabled"), "1 if caching is switched on, else 0"),
  FILTER_CACHE_HITS(counter("stoa.filter.cache.hits"), "searches answered from memory"),
  FILTER_CACHE_MISSES(counter("stoa.filter.cache.misses"), "cacheable searches that were not"),
  FILTER_CACHE_RESULTS(gauge("stoa.filter.cache.results"), "results stored now"),
  FILTER_CACHE_RESULTS_MAX(gauge("stoa.filter.cache.results.max"), "most results stored"),
  SEARCHES_BYPASSED(
      counter("stoa.searches.bypassed"), "searches that could not use the caches at all"),
  SEARCHES_MALFORMED(counter("stoa.searches.malformed"), "searches that were malformed"),
  ENTRY_CACHE_HITS(counter("stoa.entry.cache.hits"), "stored entries that went into answers"),
  ENTRY_CACHE_MISSES(
      counter("stoa.entry.cache.misses"),
      "entries of a stored result that were missing, too old or not complete enough"),
  ENTRY_CACHE_ENTRIES(gauge("stoa.entry.cache.entries"), "entries stored now"),
  ENTRY_CACHE_ENTRIES_MAX(gauge("stoa.entry.cache.entries.max"), "most entries stored"),
  COMPARE_CACHE_HITS(counter("stoa.compare.cache.hits"), "compares answered from memory"),
  COMPARE_CACHE_MISSES(counter("stoa.compare.cache.misses"), "compares that were not"),
  CACHE_MEMORY(gauge("stoa.cache.memory").in("bytes"), "memory that the caches take, estimated"),
  CACHE_MEMORY_MAX(gauge("stoa.cache.memory.max").in("bytes"), "most memory of the caches"),
  CACHE_FILLS(counter("stoa.cache.fills"), "results stored"),
  CACHE_FILLS_DISCARDED(
      counter("stoa.cache.fills.discarded"), "results read for the caches but not stored"),
  CACHE_FILLS_IN_FLIGHT(
      gauge("stoa.cache.fills.in.flight"), "searches under way upstream for the caches"),
  CACHE_JOINED(counter("stoa.cache.joined"), "searches that waited for an equal one in flight"),
  CACHE_STALE(
      counter("stoa.cache.stale"),
      "answers from memory that were too old, given for want of a directory server"),
  CACHE_EVICTIONS(counter("stoa.cache.evictions"), "results and entries dropped to hold the sizes"),
  CACHE_INVALIDATIONS(
      counter("stoa.cache.invalidations"), "times at which a change emptied the caches"),

  WINDOW_WAITING(gauge("stoa.window.waiting").by("window"), "writes that wait for the window"),
  WINDOW_PAUSED(gauge("stoa.window.paused").by("window"), "1 if writes pass it at once, else 0"),
  WINDOW_CLOSED(
      counter("stoa.window.closed").by("window"), "how often it has closed with any writes"),
  WINDOW_OPERATIONS(
      counter("stoa.window.operations").by("window"), "writes that have gone upstream from it"),
  WINDOW_TOGETHER(
      counter("stoa.window.together").by("window"), "those that were done in transactions"),
  WINDOW_ABORTED(
      counter("stoa.window.transactions.aborted").by("window"),
      "transactions that failed, so that each of their writes was done by itself"),
  WINDOW_DROPPED(
      counter("stoa.window.dropped").by("window"),
      "writes that their clients no longer wanted before they were sent"),

  FEED_LIVE(
      gauge("stoa.feed.live").by(CONTEXT),
      "1 if Stoa hears of changes in the naming context, so that answers rest on that, else 0"),
  FEED_LAPSED(
      gauge("stoa.feed.lapsed").by(CONTEXT),
      "1 if it hears of them, and no answer rests on that, else 0: a server does not say how far it has got, or writes take long"),
  FEED_STATE(
      gauge("stoa.feed.state").by(CONTEXT, "state"),
      "1 for the state of what rests on the feed, 0 for the others: live, lapsed, suspended, flushed, cold; none without a feed"),
  FEED_LEASE_AGE(
      gauge("stoa.feed.lease.age").in("seconds").by(CONTEXT),
      "how long ago the servers had no change that has not been applied; NaN if that was never known"),
  FEED_MARGIN(
      gauge("stoa.feed.margin").in("seconds").by(CONTEXT),
      "how much sooner a lease ends since writes through Stoa take long: twice the slowest of the last minute, and at least 0.02"),
  FEED_CHANGES(counter("stoa.feed.changes").by(CONTEXT), "changes that were applied"),
  FEED_GAPS(
      counter("stoa.feed.gaps").by(CONTEXT),
      "how often all was dropped: what had changed, or how it is to be read, was not known in time"),
  FEED_FILLS(counter("stoa.feed.fills").by(CONTEXT), "results that were stored to rest on a feed"),
  FEED_REFUSED(
      counter("stoa.feed.fills.refused").by(CONTEXT, "cause"),
      "results that may not rest on a feed"),
  FEED_VIEWS(gauge("stoa.feed.views").by(CONTEXT), "results that rest on a feed now, or are to"),
  FEED_UNPROVED(
      counter("stoa.feed.unproved").by(CONTEXT),
      "results of which it could not be proved that the feed tells of what they show"),
  FEED_KILLS(
      counter("stoa.feed.kills").by(CONTEXT, "cause"),
      "results that rested on a feed and became void"),
  FEED_VOIDED(
      counter("stoa.feed.voided").by(CONTEXT, "cause"),
      "how often rights, or what is derived, may have changed: what was read before is void"),
  FEED_AMENDED(
      counter("stoa.feed.amended").by(CONTEXT),
      "how often a result that rests on a feed was changed in place"),
  FEED_PHANTOMS(
      counter("stoa.feed.phantoms").by(CONTEXT),
      "changes that the feed has told and that never took effect"),
  FEED_CONFIRMS(
      counter("stoa.feed.confirms").by(CONTEXT),
      "entries of which it was asked whether the feed sees them as they are shown"),
  FEED_EVALUATIONS(
      counter("stoa.feed.evaluations").by(CONTEXT),
      "how often it was looked whether an entry that has changed matches what is stored"),
  FEED_UNKNOWN(
      counter("stoa.feed.unknown").by(CONTEXT),
      "how often that could not be told, and was taken for possible"),
  FEED_MISSES(
      counter("stoa.feed.misses").by(CONTEXT),
      "changes that a server has counted and the feed has not told"),
  FEED_INCOHERENT(
      counter("stoa.feed.incoherent").by(CONTEXT),
      "results that were compared with the directory and wrong, and were dropped"),
  FEED_RING(
      gauge("stoa.feed.ring").by(CONTEXT),
      "changes that are kept to be compared with what is read"),
  FEED_RING_SPAN(
      gauge("stoa.feed.ring.span").in("seconds").by(CONTEXT),
      "how long ago the oldest of them was told"),

  REFRESHES(counter("stoa.refreshes"), "searches of Stoa's own for answers that are used a lot"),
  REFRESHES_DROPPED(
      counter("stoa.refreshes.dropped"),
      "such searches that were not sent, since there were too many"),
  REFRESHES_ALONE(
      counter("stoa.refreshes.alone"),
      "such searches that were not sent, since nobody was connected as whom to ask"),
  AUDIT_VERIFIED(
      counter("stoa.audit.verified"),
      "answers that rest on a feed and were found to be what the directory answers"),
  AUDIT_UNVERIFIABLE(
      counter("stoa.audit.unverifiable"),
      "answers that were not compared, since nobody was connected as whom to ask"),
  AUDIT_UNDECIDED(
      counter("stoa.audit.undecided"),
      "answers that were compared in vain, since they changed meanwhile"),
  AUDIT_BEHIND(
      counter("stoa.audit.behind").by("most"),
      "answers that were compared, by the milliseconds for which they were behind at most"),
  INCOHERENT(
      counter("stoa.incoherent"),
      "answers that were wrong for longer than they may be, and were dropped"),

  CLASS_DEMOTED(
      gauge("stoa.class.demoted").by("class"), "1 if its members share nothing any more, else 0"),
  CLASS_MEMBERS(
      counter("stoa.class.members").by("class"), "identities that were taken for its members"),
  CLASS_HELD(
      gauge("stoa.class.held").by("class"),
      "members that share nothing until a difference is explained"),
  CLASS_HITS(
      counter("stoa.class.hits").by("class"),
      "answers from memory that may have been read for another member"),
  CLASS_SAMPLES(
      counter("stoa.class.samples").by("class"),
      "those that were compared with what upstream says"),
  CLASS_DIFFERENCES(
      counter("stoa.class.differences").by("class"), "those that were something else"),
  CLASS_DEMOTIONS(
      counter("stoa.class.demotions").by("class"), "how often the class was found to be wrong"),

  UPSTREAM_UP(gauge("stoa.upstream.up").by("server"), "1 if the server takes operations, else 0"),
  UPSTREAM_STATE(
      gauge("stoa.upstream.state").by("server"),
      "0 down, 1 being probed, 2 up, 3 suspect, 4 drained"),
  UPSTREAM_WEIGHT(
      gauge("stoa.upstream.weight").by("server"),
      "how much of the work it is given now, beside others"),
  UPSTREAM_LATENCY(
      gauge("stoa.upstream.latency.milliseconds").by("server"),
      "how long it takes to answer: an average that forgets, but believes the worst at once"),
  UPSTREAM_EJECTIONS(
      counter("stoa.upstream.ejections").by("server"),
      "how often it was not used for a while since it differed from its peers"),
  UPSTREAM_CONNECTIONS(
      gauge("stoa.upstream.connections").by("server"), "connections open or being opened"),
  UPSTREAM_CONNECTIONS_LOST(
      counter("stoa.upstream.connections.lost").by("server"),
      "connections that ended with operations unanswered or by an error"),
  UPSTREAM_OUTSTANDING(
      gauge("stoa.upstream.outstanding").by("server"), "operations sent and not answered"),
  UPSTREAM_CAP(
      gauge("stoa.upstream.cap").by("server"),
      "most operations sent and not answered, by what the server tolerates or the configuration"
          + " says; 0 if there is no cap"),
  UPSTREAM_CAP_DECREASES(
      counter("stoa.upstream.cap.decreases").by("server"),
      "times at which the cap became lower, since the server refused or did not answer"),
  UPSTREAM_WAITING(
      gauge("stoa.upstream.waiting").by("server"),
      "clients of which operations wait, since as many are unanswered as the cap allows"),
  UPSTREAM_CONNECTION_CAP(
      gauge("stoa.upstream.connection.cap").by("server"),
      "most unanswered operations on one connection, learnt from connections that the server ended;"
          + " 0 if no limit was learnt"),
  UPSTREAM_HEDGES(
      counter("stoa.upstream.hedges").by("server"),
      "reads that another server was asked for, too, since this one took long"),
  UPSTREAM_HEDGES_WON(
      counter("stoa.upstream.hedges.won").by("server"), "those that the other one answered first"),
  UPSTREAM_OPERATIONS(counter("stoa.upstream.operations").by("server"), "operations sent"),
  UPSTREAM_LAG(
      gauge("stoa.upstream.lag").in("seconds").by("server"),
      "since when the server lacks what was seen at a primary; 0 if it lacks nothing"),
  UPSTREAM_BEHIND(
      gauge("stoa.upstream.behind").by("server"),
      "1 if the server gets no reads since it is too far behind, else 0"),
  UPSTREAM_UNCOVERED(
      counter("stoa.upstream.uncovered").by("server"),
      "reads sent although the server may lack what they had to show, since no other was there"),
  RECENT_CHANGES(
      gauge("stoa.recent.changes"),
      "changes through Stoa that are remembered, until all servers that can be read from have them"),
  UPSTREAM_BINDS(
      counter("stoa.upstream.binds").by("server"),
      "binds sent: those of clients and those to open a connection");

  private final Meter.Type type;
  private final String meterName;
  private final @Nullable String unit;
  private final @Nullable String tag;
  private final @Nullable String second;
  private final String meaning;

  ProxyMeters(MeterShape shape, String meaning) {
    this.type = shape.type();
    this.meterName = shape.name();
    this.unit = shape.unit();
    this.tag = shape.tag();
    this.second = shape.second();
    this.meaning = meaning;
  }

  /** Returns the name as Micrometer spells it, with dots. */
  public String meterName() {
    return meterName;
  }

  /** Returns whether the metric is a counter or a gauge. */
  public Meter.Type type() {
    return type;
  }

  /** Returns the base unit; null if the metric counts things. */
  public @Nullable String unit() {
    return unit;
  }

  /**
   * Returns the tag keys; empty if the metric has a single value. The values of tags are bounded.
   */
  public List<String> tags() {
    return tag == null ? List.of() : second == null ? List.of(tag) : List.of(tag, second);
  }

  /** Returns the description: one line for administrators. */
  public String meaning() {
    return meaning;
  }

  /**
   * Registers the metric without tags. The value is read from {@code source}, which the caller must
   * keep alive.
   */
  <S> void bind(MeterRegistry registry, S source, ToDoubleFunction<S> value) {
    bind(registry, List.of(), source, value);
  }

  /** Registers the metric for one value of its tag. */
  <S> void bind(MeterRegistry registry, String tagValue, S source, ToDoubleFunction<S> value) {
    bind(registry, List.of(tagValue), source, value);
  }

  /** Registers the metric for one value of each of its tags. */
  <S> void bind(
      MeterRegistry registry, List<String> tagValues, S source, ToDoubleFunction<S> value) {
    Tags with = MeterShape.tagged(tags(), tagValues);
    if (type == Meter.Type.COUNTER) {
      FunctionCounter.builder(meterName, source, value)
          .tags(with)
          .baseUnit(unit)
          .description(meaning)
          .register(registry);
    } else {
      Gauge.builder(meterName, source, value)
          .tags(with)
          .baseUnit(unit)
          .description(meaning)
          .register(registry);
    }
  }
}
