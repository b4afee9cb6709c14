// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.result.CacheStats;
import io.stoa.metrics.OperationKind;
import io.stoa.net.peer.TlsStart;
import io.stoa.net.tls.TlsContext;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ReplicaStatus;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The attributes of {@code cn=monitor}, in the order of answers. Threading: immutable. */
final class MonitorAttributes {
  /** All attributes except {@code objectClass} and {@code cn}. */
  static final List<MonitorAttribute> ALL = new MonitorAttributes().finish();

  /**
   * Version of the interface for tools. Incremented when an entry, attribute or action that a tool
   * relies on is removed.
   */
  private static final int INTERFACE = 1;

  private final List<MonitorAttribute> attributes = new ArrayList<>();

  private MonitorAttributes() {
    text("version", "product and version", MonitorSnapshot::version);
    number(
        "stoaInterface",
        "which entries, attributes and actions of Stoa's own there are",
        snapshot -> INTERFACE);
    text(
        "stoaAdministrator",
        "whether there is an administrator, and cn=configuration",
        snapshot -> bool(snapshot.administrator()));
    connections();
    operations();
    filterCache();
    entryCache();
    otherCaches();
    upstream();
    tls();
    of389();
    text("currenttime", "time of the answer", MonitorSnapshot::currentTime);
    text("starttime", "time at which Stoa started", MonitorSnapshot::startTime);
    number("en_currentregs", "registrations for events; Stoa has none", snapshot -> 0);
    number("en_notificationssent", "notifications of events; Stoa sends none", snapshot -> 0);
  }

  private void connections() {
    number(
        "totalconnections", "connections since the start", s -> s.counters().connectionsOpened());
    number(
        "total_ssl_connections",
        "of them those that spoke TLS from the beginning",
        s -> s.counters().handshakes(TlsStart.LDAPS));
    number(
        "total_tls_connections",
        "of them those that spoke TLS since a StartTLS",
        s -> s.counters().handshakes(TlsStart.STARTTLS));
    number("currentconnections", "connections open now", s -> s.status().connections());
    number("maxconnections", "most connections", s -> s.status().maxConnections());
    number(
        "writewaiters",
        "connections with octets that wait to be taken by the client",
        s -> s.status().writeWaiters());
    number(
        "readwaiters",
        "connections with an unfinished request or one that waits its turn",
        s -> s.status().readWaiters());
    number(
        "stoaConnectionsGaveWay",
        "idle connections without a bind that were ended to make room",
        s -> s.counters().connectionsGaveWay());
    number(
        "stoaRequestMemory",
        "octets that requests without an answer take",
        s -> s.status().requestMemory());
    number(
        "stoaRequestsGivenUp",
        "clients that were disconnected for the memory that requests without an answer take",
        s -> s.counters().requestsGivenUp());
    number("livethreads", "threads that move octets", s -> s.status().eventLoops());
  }

  private void operations() {
    number("opsinitiated", "requests received: the sum of all …requested", s -> s.received());
    number("opscompleted", "operations ended: the sum of all …completed", s -> s.completed());
    number("entriessent", "entries sent to clients", s -> s.counters().entriesSent());
    number("referencessent", "references sent to clients", s -> s.counters().referencesSent());
    number("bytessent", "octets written for clients", s -> s.counters().octetsSent());
    for (OperationKind kind : OperationKind.values()) {
      String name = kind.name().toLowerCase(Locale.ROOT);
      number(kind.plural() + "requested", name + " requests received", s -> s.received(kind));
      number(kind.plural() + "completed", name + " operations ended", s -> s.completed(kind));
    }
  }

  private void of389() {
    number("threads", "threads that move octets, as livethreads", s -> s.status().eventLoops());
    number(
        "maxthreadsperconnhits",
        "times at which a client had as many operations in flight as it may",
        s -> s.counters().timesThrottled());
    number(
        "currentconnectionsatmaxthreads",
        "connections with as many operations in flight as they may have",
        s -> s.status().clientsAtLimit());
    number("dtablesize", "most open files of the process", s -> FileDescriptors.most());
    number("currentworkqueue", "operations that wait for a server", s -> s.status().queued());
    number("maxworkqueue", "most that have waited at once", s -> s.status().queueLongest());
    number("nbackends", "caches of which backendmonitordn tells", s -> Entries389.caches(s).size());
    list("backendmonitordn", "the names of their entries", Entries389::caches);
    list("connection", "each client; for administrators only", ClientEntries::values);
  }

  private void filterCache() {
    cache("filter_cache_size", "most results stored", CacheStats::filterSize);
    cache("filter_cache_current", "results stored now", CacheStats::filterCurrent);
    cache("filter_cache_hit", "searches answered from memory", CacheStats::filterHits);
    cache("filter_cache_miss", "cacheable searches that were not", CacheStats::filterMisses);
    cache(
        "filter_cache_bypass_limit",
        "results with more entries are not stored",
        CacheStats::bypassLimit);
    number(
        "filter_cache_bypassed",
        "searches that could not use the caches, those of cn=monitor included",
        MonitorSnapshot::bypassed);
    number("searchesrefused", "searches that were malformed", MonitorSnapshot::refused);
    number(
        "searchesundecided",
        "searches of which it is not decided yet what becomes of them",
        MonitorSnapshot::undecided);
  }

  private void entryCache() {
    cache("entry_cache_size", "most entries stored", CacheStats::entrySize);
    cache("entry_cache_current", "entries stored now", CacheStats::entryCurrent);
    cache("entry_cache_hit", "stored entries that went into answers", CacheStats::entryHits);
    cache(
        "entry_cache_miss",
        "entries of a stored result that were missing, too old or not complete enough",
        CacheStats::entryMisses);
  }

  private void otherCaches() {
    cache("compare_cache_hit", "compares answered from memory", CacheStats::compareHits);
    cache("compare_cache_miss", "compares that were not", CacheStats::compareMisses);
    text(
        "acl_cache",
        "whether anything is kept for clients that have bound",
        s -> bool(s.cache().aclCache()));
    cache("acl_cache_size", "most identities for which something is kept", CacheStats::aclSize);
    text("cache_enabled", "whether caching is switched on", s -> bool(s.cache().enabled()));
    cache("cache_bytes", "memory that the caches take, estimated, in octets", CacheStats::bytes);
    cache("cache_max_bytes", "most memory of the caches", CacheStats::maxBytes);
    cache(
        "cache_stale", "answers that were too old, for want of a server", CacheStats::staleServed);
    cache("cache_joined", "searches that waited for an equal one", CacheStats::joined);
    cache("cache_evictions", "results and entries dropped for size", CacheStats::evictions);
    cache(
        "cache_invalidations",
        "times at which a change emptied the caches",
        CacheStats::invalidations);
  }

  private void upstream() {
    text("ready", "whether a directory server takes operations", s -> bool(s.status().ready()));
    upstream("upstream_operations", "operations sent upstream", BackendStatus::operations);
    upstream("upstream_binds", "binds sent upstream", BackendStatus::binds);
    upstream("upstream_connections", "connections to upstream", BackendStatus::connections);
    upstream("upstream_outstanding", "operations that await an answer", BackendStatus::outstanding);
    upstream(
        "upstream_connections_lost",
        "upstream connections that ended by an error or with operations unanswered",
        BackendStatus::connectionsLost);
    replicas();
  }

  private void replicas() {
    detail(
        "upstream_positions",
        "how far each server has got, as it says itself; nothing of one that does not tell",
        MonitorAttributes::positions);
    detail(
        "upstream_lag",
        "for how many milliseconds the last server has lacked what was seen at a primary",
        s -> Long.toString(replicas(s).mapToLong(ReplicaStatus::lagMillis).max().orElse(0)));
    number(
        "upstream_behind",
        "servers that get no reads since they are too far behind",
        s -> replicas(s).filter(ReplicaStatus::behind).count());
    number(
        "recent_changes",
        "changes that are remembered, until all servers that can be read from have them",
        s -> s.status().recentChanges());
    number(
        "upstream_uncovered",
        "reads that no server could answer of which it is known that it has what they had to show",
        s -> replicas(s).mapToLong(ReplicaStatus::uncovered).sum());
  }

  private static Stream<ReplicaStatus> replicas(MonitorSnapshot snapshot) {
    return snapshot.status().backends().stream().map(BackendStatus::replica);
  }

  private static String positions(MonitorSnapshot snapshot) {
    return snapshot.status().backends().stream()
        .map(server -> server.address() + " " + server.replica().position())
        .collect(Collectors.joining("; "));
  }

  private void tls() {
    number(
        "tls_certificate_expiry",
        "when the certificate that clients see expires, in seconds since 1970; 0 without one",
        MonitorAttributes::expiry);
    tls(
        "tls_reloads",
        "times at which changed files of certificates were taken into use",
        TlsContext.Status::reloads);
    tls(
        "tls_reloads_failed",
        "times at which changed files of certificates could not be used",
        TlsContext.Status::failures);
  }

  private static long expiry(MonitorSnapshot snapshot) {
    return snapshot.status().tls().stream()
        .filter(TlsContext.Status::ofListeners)
        .flatMap(tls -> Stream.ofNullable(tls.expires()))
        .mapToLong(Instant::getEpochSecond)
        .findFirst()
        .orElse(0);
  }

  private void tls(String name, String meaning, ToLongFunction<TlsContext.Status> value) {
    number(name, meaning, s -> s.status().tls().stream().mapToLong(value).sum());
  }

  private void cache(String name, String meaning, ToLongFunction<CacheStats> value) {
    number(name, meaning, snapshot -> value.applyAsLong(snapshot.cache()));
  }

  private void upstream(String name, String meaning, ToLongFunction<BackendStatus> value) {
    number(name, meaning, s -> s.status().backends().stream().mapToLong(value).sum());
  }

  private void number(String name, String meaning, ToLongFunction<MonitorSnapshot> value) {
    text(name, meaning, snapshot -> Long.toString(value.applyAsLong(snapshot)));
  }

  private void text(String name, String meaning, Function<MonitorSnapshot, String> value) {
    list(name, meaning, snapshot -> List.of(value.apply(snapshot)));
  }

  private void detail(String name, String meaning, Function<MonitorSnapshot, String> value) {
    list(
        name,
        meaning + "; for readers only",
        snapshot -> snapshot.showsServers() ? List.of(value.apply(snapshot)) : List.of());
  }

  private void list(String name, String meaning, Function<MonitorSnapshot, List<String>> values) {
    attributes.add(new MonitorAttribute(name, meaning, values));
  }

  private List<MonitorAttribute> finish() {
    return List.copyOf(attributes);
  }

  private static String bool(boolean value) {
    return value ? "TRUE" : "FALSE";
  }
}
