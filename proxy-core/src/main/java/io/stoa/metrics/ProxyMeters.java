// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import static io.stoa.metrics.FeedMeters.CONTEXT;
import static io.stoa.metrics.MeterShape.counter;
import static io.stoa.metrics.MeterShape.gauge;
import static io.stoa.metrics.MeterShape.histogram;

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
  READY(gauge("stoa.ready"), "1 if Stoa is ready (as reported by readyz), else 0"),
  EVENT_LOOPS(gauge("stoa.event.loops"), "number of event loop threads"),

  CONNECTIONS(gauge("stoa.connections"), "client connections open now"),
  CONNECTIONS_MAX(gauge("stoa.connections.max"), "maximum number of client connections"),
  CONNECTIONS_OPENED(counter("stoa.connections.opened"), "client connections accepted"),
  CONNECTIONS_REFUSED(
      counter("stoa.connections.refused"),
      "clients refused because limits.connections was reached"),
  CONNECTIONS_EVICTED(
      counter("stoa.connections.evicted"),
      "idle clients without a bind that were disconnected to make room for new ones"),
  CONNECTIONS_THROTTLED(
      counter("stoa.connections.throttled"),
      "times a client was throttled because limits.operationsInFlight was reached"),
  CONNECTIONS_TIMED_OUT(
      counter("stoa.connections.timed.out").by("reason"),
      "clients disconnected for lack of progress"),
  SASL_BINDS(counter("stoa.sasl.binds"), "successful SASL binds"),
  TUNNELS(
      counter("stoa.connections.tunnelled"),
      "connections that became tunnels because client and server negotiated a "
          + "SASL security layer"),
  CONNECTIONS_PASSED_THROUGH(
      counter("stoa.connections.passed.through"),
      "client connections passed through to a directory server unread"),
  TLS_HANDSHAKES(
      counter("stoa.tls.handshakes").by("start"), "successful TLS handshakes of clients"),
  TLS_FAILURES(counter("stoa.tls.failures").by("reason"), "TLS handshakes of clients that failed"),
  TLS_CERTIFICATE_EXPIRY(
      gauge("stoa.tls.certificate.expiry.timestamp").in("seconds").by("shown_to"),
      "earliest expiry in the certificate chain in use, in seconds since 1970; "
          + "NaN without a certificate"),
  TLS_CERTIFICATE_RELOADS(
      counter("stoa.tls.certificate.reloads").by("outcome"),
      "reloads of changed certificate files, successful or failed"),
  PROTOCOL_ERRORS(
      counter("stoa.protocol.errors").by("reason"), "clients disconnected for a protocol error"),
  READ_WAITERS(
      gauge("stoa.read.waiters"), "client connections with an unfinished or waiting request"),
  WRITE_WAITERS(
      gauge("stoa.write.waiters"), "client connections with bytes that the client has not taken"),
  REQUEST_MEMORY(
      gauge("stoa.request.memory").in("bytes"), "memory of requests that are not answered yet"),
  CONNECTIONS_SHED(
      counter("stoa.connections.shed"),
      "clients disconnected because limits.requestMemory was reached"),

  LIMITS_REFUSED(
      counter("stoa.limits.refused").by("limit"),
      "connections and operations refused, and failed binds delayed, at a limit of a "
          + "client network or an identity"),

  OPERATIONS_RECEIVED(counter("stoa.operations.received").by("operation"), "requests received"),
  OPERATIONS_COMPLETED(
      counter("stoa.operations.completed").by("operation"),
      "operations that have ended: answered, abandoned, or of a kind without a response"),
  OPERATIONS_REJECTED(
      counter("stoa.operations.rejected").by("reason"), "operations rejected by Stoa itself"),
  RESULTS_SENT(
      counter("stoa.results.sent").by("operation", "result"),
      "results sent to clients, by the name of the result code"),
  OPERATION_DURATION(
      histogram("stoa.operation.duration").in("seconds").by("operation", "cache"),
      "time from the receipt of a request to its last response; for requests answered during the"
          + " read that received them, to the end of this read at the latest;"
          + " labels appear when they first occur"),
  DIGEST_SEARCHES(
      counter("stoa.digest.searches").by("digest", "cache"),
      "searches of the ten patterns with the largest total time at directories, by the id of"
          + " `stoactl digests`"),
  DIGEST_UPSTREAM(
      counter("stoa.digest.upstream").in("seconds").by("digest"),
      "total duration of the searches of these patterns that were sent to a directory"),
  OPERATIONS_IN_FLIGHT(gauge("stoa.operations.in.flight"), "operations in flight"),
  OPERATIONS_QUEUED(
      gauge("stoa.operations.queued"), "operations that wait for an upstream connection"),
  OPERATIONS_QUEUED_MAX(
      gauge("stoa.operations.queued.max"),
      "maximum number of operations that wait for an upstream connection"),
  ENTRIES_SENT(counter("stoa.entries.sent"), "entries sent to clients"),
  REFERENCES_SENT(counter("stoa.references.sent"), "references sent to clients"),
  OCTETS_SENT(counter("stoa.sent").in("bytes"), "bytes sent to clients"),
  LOG_EVENTS(
      counter("stoa.log.events").by("log"),
      "events whose lines were written to the access log or the audit log"),
  LOG_DROPPED(
      counter("stoa.log.dropped").by("log"),
      "events dropped because the access log or the audit log was too slow or failed"),

  CACHE_ENABLED(gauge("stoa.cache.enabled"), "1 if caching is on, else 0"),
  FILTER_CACHE_HITS(counter("stoa.filter.cache.hits"), "searches answered from memory"),
  FILTER_CACHE_MISSES(
      counter("stoa.filter.cache.misses"), "cacheable searches not answered from memory"),
  FILTER_CACHE_RESULTS(gauge("stoa.filter.cache.results"), "results stored now"),
  FILTER_CACHE_RESULTS_MAX(
      gauge("stoa.filter.cache.results.max"), "maximum number of results stored"),
  SEARCHES_BYPASSED(counter("stoa.searches.bypassed"), "searches that bypassed the caches"),
  SEARCHES_MALFORMED(counter("stoa.searches.malformed"), "malformed searches"),
  ENTRY_CACHE_HITS(counter("stoa.entry.cache.hits"), "stored entries used in responses"),
  ENTRY_CACHE_MISSES(
      counter("stoa.entry.cache.misses"),
      "entries of a stored result that were missing, expired or incomplete"),
  ENTRY_CACHE_ENTRIES(
      gauge("stoa.entry.cache.entries"),
      "entries stored now; an entry that several results return counts once"),
  ENTRY_CACHE_ENTRIES_MAX(
      gauge("stoa.entry.cache.entries.max"),
      "maximum number of entries stored; an entry counts in each result that returns it"),
  COMPARE_CACHE_HITS(counter("stoa.compare.cache.hits"), "compares answered from memory"),
  COMPARE_CACHE_MISSES(counter("stoa.compare.cache.misses"), "compares not answered from memory"),
  CACHE_MEMORY(gauge("stoa.cache.memory").in("bytes"), "estimated memory of the caches"),
  CACHE_MEMORY_MAX(gauge("stoa.cache.memory.max").in("bytes"), "maximum memory of the caches"),
  CACHE_FILLS(counter("stoa.cache.fills"), "results stored in the caches"),
  CACHE_FILLS_DISCARDED(
      counter("stoa.cache.fills.discarded"),
      "fills refused: results read for the caches but not stored"),
  CACHE_FILLS_IN_FLIGHT(gauge("stoa.cache.fills.in.flight"), "fills in flight upstream"),
  CACHE_JOINED(
      counter("stoa.cache.joined"), "searches that joined an equal one in flight (single flight)"),
  CACHE_STALE(
      counter("stoa.cache.stale"),
      "stale results served because no directory server was available"),
  CACHE_EVICTIONS(counter("stoa.cache.evictions"), "results evicted for lack of room"),
  CACHE_INVALIDATIONS(
      counter("stoa.cache.invalidations"), "times all results that no feed holds were invalidated"),

  WINDOW_WAITING(gauge("stoa.window.waiting").by("window"), "writes that wait in the window"),
  WINDOW_PAUSED(gauge("stoa.window.paused").by("window"), "1 if writes skip the window, else 0"),
  WINDOW_CLOSED(
      counter("stoa.window.closed").by("window"),
      "times the window closed with at least one write"),
  WINDOW_OPERATIONS(
      counter("stoa.window.operations").by("window"), "writes sent upstream from the window"),
  WINDOW_TRANSACTIONAL(
      counter("stoa.window.transactional").by("window"),
      "writes of the window that were sent in transactions"),
  WINDOW_ABORTED(
      counter("stoa.window.transactions.aborted").by("window"),
      "transactions that failed, so that their writes were sent one by one"),
  WINDOW_DROPPED(
      counter("stoa.window.dropped").by("window"),
      "writes abandoned by their clients before they were sent"),

  FEED_LIVE(
      gauge("stoa.feed.live").by(CONTEXT),
      "1 if the change feed of the naming context is live, so that it holds "
          + "cached results, else 0"),
  FEED_LAPSED(
      gauge("stoa.feed.lapsed").by(CONTEXT),
      "1 if the change feed runs but its lease has expired, so that it holds no "
          + "results, else 0: a server does not report its position, or writes are slow"),
  FEED_STATE(
      gauge("stoa.feed.state").by(CONTEXT, "state"),
      "1 for the current state of the feed, 0 for the others: live, lapsed, "
          + "suspended, gap, cold; none without a feed"),
  FEED_LEASE_AGE(
      gauge("stoa.feed.lease.age").in("seconds").by(CONTEXT),
      "age of the feed's lease: time since the feed was last proved up to date; NaN if never"),
  FEED_MARGIN(
      gauge("stoa.feed.margin").in("seconds").by(CONTEXT),
      "margin by which a lease is shortened for slow writes through Stoa: twice "
          + "the slowest of the last minute, at least 0.02"),
  FEED_CHANGES(
      counter("stoa.feed.changes").by(CONTEXT), "changes received from the feed and applied"),
  FEED_GAPS(
      counter("stoa.feed.gaps").by(CONTEXT),
      "gaps of the feed: times all results held by it were dropped because "
          + "changes or rules were not known in time"),
  FEED_FILLS(
      counter("stoa.feed.fills.admitted").by(CONTEXT), "results admitted to be held by the feed"),
  FEED_REFUSED(
      counter("stoa.feed.fills.refused").by(CONTEXT, "cause"),
      "results that the feed could not hold, by cause"),
  FEED_VIEWS(
      gauge("stoa.feed.views").by(CONTEXT), "results held by the feed now, or being registered"),
  FEED_UNPROVED(
      counter("stoa.feed.unproved").by(CONTEXT),
      "results whose entries could not be proved visible to the feed"),
  FEED_INVALIDATIONS(
      counter("stoa.feed.invalidations").by(CONTEXT, "cause"),
      "results held by the feed that were invalidated, by cause"),
  FEED_WATERMARK_ADVANCES(
      counter("stoa.feed.watermark.advances").by(CONTEXT, "cause"),
      "times rights or derived attributes may have changed, so that earlier reads "
          + "were invalidated"),
  FEED_UPDATES(
      counter("stoa.feed.updates").by(CONTEXT), "in-place updates of results held by the feed"),
  FEED_CHANGES_ABORTED(
      counter("stoa.feed.changes.aborted").by(CONTEXT),
      "changes reported by the feed that never took effect"),
  FEED_VISIBILITY_CHECKS(
      counter("stoa.feed.visibility.checks").by(CONTEXT),
      "entries read to confirm that the feed's account sees them"),
  FEED_EVALUATIONS(
      counter("stoa.feed.evaluations").by(CONTEXT),
      "evaluations of a stored query against a changed entry"),
  FEED_UNKNOWN(
      counter("stoa.feed.unknown").by(CONTEXT),
      "evaluations with an unknown result, treated as a match"),
  FEED_MISSES(
      counter("stoa.feed.misses").by(CONTEXT),
      "changes counted by a server but not reported by the feed"),
  FEED_INCOHERENT(
      counter("stoa.feed.incoherent").by(CONTEXT),
      "results dropped because the audit found them wrong"),
  FEED_RING(gauge("stoa.feed.ring").by(CONTEXT), "changes in the change ring"),
  FEED_RING_SPAN(
      gauge("stoa.feed.ring.span").in("seconds").by(CONTEXT),
      "age of the oldest change in the change ring"),

  REFRESHES(counter("stoa.refreshes"), "refresh-ahead searches for popular results"),
  REFRESHES_DROPPED(
      counter("stoa.refreshes.dropped"),
      "refresh-ahead searches not sent because there were too many"),
  REFRESHES_WITHOUT_CLIENT(
      counter("stoa.refreshes.without.client"),
      "refresh-ahead searches not sent because no client of the identity was connected"),
  AUDIT_EQUAL(
      counter("stoa.audit.equal"),
      "audited results held by a feed that equalled the directory's answer"),
  AUDIT_UNCOMPARED(
      counter("stoa.audit.uncompared"),
      "results not audited because no client of the identity was connected"),
  AUDIT_UNDECIDED(
      counter("stoa.audit.undecided"),
      "audits without a verdict because the result changed meanwhile"),
  AUDIT_BEHIND(
      counter("stoa.audit.behind").by("max_millis"),
      "audited results by their maximum lag in milliseconds"),
  INCOHERENT(
      counter("stoa.incoherent"), "results dropped because they were stale beyond their bound"),

  CLASS_DEMOTED(
      gauge("stoa.class.demoted").by("class"),
      "1 if the sharing class is demoted: its members share no results, else 0"),
  CLASS_MEMBERS(
      counter("stoa.class.members").by("class"),
      "identities accepted as members of the sharing class"),
  CLASS_SUSPENDED(
      gauge("stoa.class.suspended").by("class"), "members suspended until a mismatch is explained"),
  CLASS_HITS(
      counter("stoa.class.hits").by("class"), "hits that may have been read as another member"),
  CLASS_SAMPLES(counter("stoa.class.samples").by("class"), "hits verified against upstream"),
  CLASS_DIFFERENCES(
      counter("stoa.class.differences").by("class"), "verified hits that differed from upstream"),
  CLASS_DEMOTIONS(
      counter("stoa.class.demotions").by("class"), "times the sharing class was demoted"),

  UPSTREAM_UP(gauge("stoa.upstream.up").by("server"), "1 if the server takes operations, else 0"),
  UPSTREAM_STATE(
      gauge("stoa.upstream.state").by("server"),
      "state of the server: 0 down, 1 probing, 2 up, 3 suspect, 4 drained"),
  UPSTREAM_WEIGHT(
      gauge("stoa.upstream.weight").by("server"),
      "current load-balancing weight relative to other servers"),
  UPSTREAM_LATENCY(
      gauge("stoa.upstream.latency").in("seconds").by("server"),
      "response time: a moving average that rises at once and falls slowly"),
  UPSTREAM_EJECTIONS(
      counter("stoa.upstream.ejections").by("server"),
      "times the server was ejected as an outlier"),
  UPSTREAM_CONNECTIONS(
      gauge("stoa.upstream.connections").by("server"), "connections open or being opened"),
  UPSTREAM_CONNECTIONS_LOST(
      counter("stoa.upstream.connections.lost").by("server"),
      "connections that ended with unanswered operations or an error"),
  UPSTREAM_OUTSTANDING(gauge("stoa.upstream.outstanding").by("server"), "operations in flight"),
  UPSTREAM_CAP(
      gauge("stoa.upstream.cap").by("server"),
      "maximum number of unanswered operations, learnt or configured; 0 if there is no cap"),
  UPSTREAM_CAP_DECREASES(
      counter("stoa.upstream.cap.decreases").by("server"),
      "times the cap was lowered because the server refused or did not answer"),
  UPSTREAM_WAITING(
      gauge("stoa.upstream.waiting").by("server"),
      "clients with operations that wait because the cap is reached"),
  UPSTREAM_CONNECTION_CAP(
      gauge("stoa.upstream.connection.cap").by("server"),
      "maximum number of unanswered operations on one connection, learnt from "
          + "connections that the server ended; 0 if no limit was learnt"),
  UPSTREAM_HEDGES(
      counter("stoa.upstream.hedges").by("server"),
      "hedges: reads also sent to another server because this one was slow"),
  UPSTREAM_HEDGES_WON(
      counter("stoa.upstream.hedges.won").by("server"),
      "hedges that the other server answered first"),
  UPSTREAM_OPERATIONS(counter("stoa.upstream.operations").by("server"), "operations sent"),
  UPSTREAM_LAG(
      gauge("stoa.upstream.lag").in("seconds").by("server"),
      "lag behind the primary; 0 if no change is missing"),
  UPSTREAM_BEHIND(
      gauge("stoa.upstream.behind").by("server"),
      "1 if the server gets no reads because its lag is too large, else 0"),
  UPSTREAM_UNCOVERED(
      counter("stoa.upstream.uncovered").by("server"),
      "reads sent to a server that may lack a required change because no other was available"),
  UNREPLICATED_WRITES(
      gauge("stoa.unreplicated.writes"), "writes through Stoa that some readable server may lack"),
  UPSTREAM_BINDS(
      counter("stoa.upstream.binds").by("server"),
      "binds sent: of clients, and for opening connections");

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

  /** Returns whether the metric is a counter, a gauge, or (as a timer) a histogram. */
  public Meter.Type type() {
    return type;
  }

  /** True for a histogram. No binder supplies it: the server collects it for each scrape. */
  public boolean isHistogram() {
    return type == Meter.Type.TIMER;
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
