// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.result.CacheStats;
import io.stoa.metrics.OperationKind;
import io.stoa.net.peer.TlsStart;
import io.stoa.net.tls.TlsContext;
import io.stoa.operation.event.ClientEvent;
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
    addNumber(
        "stoaInterface",
        "version of Stoa's own entries, attributes and actions",
        snapshot -> INTERFACE);
    text(
        "stoaAdministrator",
        "true if there is an administrator and cn=configuration",
        snapshot -> bool(snapshot.isAdministrator()));
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
    addNumber("en_currentregs", "registrations for events; Stoa has none", snapshot -> 0);
    addNumber("en_notificationssent", "notifications of events; Stoa sends none", snapshot -> 0);
  }

  private void connections() {
    addNumber(
        "totalconnections",
        "client connections since the start",
        s -> s.count(ClientEvent.CONNECTION_OPENED));
    addNumber(
        "total_ssl_connections",
        "client connections since the start with TLS from the beginning (ldaps://)",
        s -> s.counters().handshakes().get(TlsStart.LDAPS));
    addNumber(
        "total_tls_connections",
        "client connections since the start with StartTLS",
        s -> s.counters().handshakes().get(TlsStart.STARTTLS));
    addNumber("currentconnections", "connections open now", s -> s.status().connections());
    addNumber(
        "maxconnections", "maximum number of client connections", s -> s.status().maxConnections());
    addNumber(
        "writewaiters",
        "connections whose client has not read all buffered responses",
        s -> s.status().writeWaiters());
    addNumber(
        "readwaiters",
        "connections with an incomplete or queued request",
        s -> s.status().readWaiters());
    addNumber(
        "stoaConnectionsEvicted",
        "idle connections without a bind that were closed to make room",
        s -> s.count(ClientEvent.IDLE_CLIENT_DISCONNECTED));
    addNumber(
        "stoaRequestMemory",
        "memory of unanswered requests, in bytes",
        s -> s.status().requestMemory());
    addNumber(
        "stoaConnectionsShed",
        "clients disconnected because unanswered requests took too much memory",
        s -> s.count(ClientEvent.REQUEST_GIVEN_UP));
    addNumber("livethreads", "event loops", s -> s.status().eventLoops());
  }

  private void operations() {
    addNumber("opsinitiated", "requests received: the sum of all …requested", s -> s.received());
    addNumber("opscompleted", "operations ended: the sum of all …completed", s -> s.completed());
    addNumber("entriessent", "entries sent to clients", s -> s.count(ClientEvent.ENTRY_SENT));
    addNumber(
        "referencessent", "references sent to clients", s -> s.count(ClientEvent.REFERENCE_SENT));
    addNumber("bytessent", "bytes sent to clients", s -> s.count(ClientEvent.OCTET_SENT));
    for (OperationKind kind : OperationKind.values()) {
      String name = kind.name().toLowerCase(Locale.ROOT);
      addNumber(kind.plural() + "requested", name + " requests received", s -> s.received(kind));
      addNumber(kind.plural() + "completed", name + " operations ended", s -> s.completed(kind));
    }
  }

  private void of389() {
    addNumber("threads", "event loops, as livethreads", s -> s.status().eventLoops());
    addNumber(
        "maxthreadsperconnhits",
        "times a client reached its limit of operations in flight",
        s -> s.count(ClientEvent.THROTTLED));
    addNumber(
        "currentconnectionsatmaxthreads",
        "connections at their limit of operations in flight",
        s -> s.status().clientsAtLimit());
    addNumber(
        "dtablesize", "maximum number of open files of the process", s -> FileDescriptors.max());
    addNumber("currentworkqueue", "operations that wait for a server", s -> s.status().queued());
    addNumber(
        "maxworkqueue",
        "maximum number of operations that waited at once",
        s -> s.status().queueLongest());
    addNumber(
        "nbackends", "number of caches in backendmonitordn", s -> Entries389.caches(s).size());
    list("backendmonitordn", "DNs of the caches' entries", Entries389::caches);
    list(
        "connection",
        "one value for each client; for the administrator only",
        ClientEntries::values);
  }

  private void filterCache() {
    cache("filter_cache_size", "maximum number of results stored", CacheStats::filterSize);
    cache("filter_cache_current", "results stored now", CacheStats::filterCurrent);
    cache("filter_cache_hit", "searches answered from memory", CacheStats::filterHits);
    cache(
        "filter_cache_miss",
        "cacheable searches that were not answered from memory",
        CacheStats::filterMisses);
    cache(
        "filter_cache_bypass_limit",
        "maximum number of entries of a stored result",
        CacheStats::bypassLimit);
    addNumber(
        "filter_cache_bypassed",
        "searches that bypassed the caches, including those of Stoa's own trees",
        MonitorSnapshot::bypassed);
    addNumber("searchesrefused", "malformed searches", MonitorSnapshot::refused);
    addNumber(
        "searchesundecided",
        "searches not yet counted as hit, miss, bypassed or refused",
        MonitorSnapshot::undecided);
  }

  private void entryCache() {
    cache(
        "entry_cache_size",
        "maximum number of entries stored; an entry counts in each result that returns it",
        CacheStats::entrySize);
    cache(
        "entry_cache_current",
        "entries stored now; an entry that several results return counts once",
        CacheStats::entryCurrent);
    cache("entry_cache_hit", "stored entries returned in answers", CacheStats::entryHits);
    cache(
        "entry_cache_miss",
        "entries of stored results that were missing, too old or incomplete",
        CacheStats::entryMisses);
  }

  private void otherCaches() {
    cache("compare_cache_hit", "compares answered from memory", CacheStats::compareHits);
    cache(
        "compare_cache_miss",
        "compares that were not answered from memory",
        CacheStats::compareMisses);
    text(
        "acl_cache",
        "true if results are cached for bound clients",
        s -> bool(s.cache().aclCache()));
    cache(
        "acl_cache_size", "maximum number of identities with cached results", CacheStats::aclSize);
    text("cache_enabled", "true if caching is on", s -> bool(s.cache().enabled()));
    cache("cache_bytes", "estimated memory of the caches, in bytes", CacheStats::bytes);
    cache("cache_max_bytes", "maximum memory of the caches, in bytes", CacheStats::maxBytes);
    cache(
        "cache_stale",
        "stale answers served while no server was available",
        CacheStats::staleServed);
    cache(
        "cache_joined",
        "searches that joined an equal one in flight (single flight)",
        CacheStats::joined);
    cache("cache_evictions", "results evicted", CacheStats::evictions);
    cache(
        "cache_invalidations", "times a change invalidated all results", CacheStats::invalidations);
  }

  private void upstream() {
    text("ready", "true if a directory server takes operations", s -> bool(s.status().ready()));
    list(
        "ready_reason",
        "reason why Stoa is not ready; absent if it is",
        s -> s.status().ready() ? List.of() : List.of(s.status().reason()));
    upstream("upstream_operations", "operations sent upstream", BackendStatus::operations);
    upstream("upstream_binds", "binds sent upstream", BackendStatus::binds);
    upstream("upstream_connections", "upstream connections", BackendStatus::connections);
    upstream("upstream_outstanding", "operations in flight upstream", BackendStatus::outstanding);
    upstream(
        "upstream_connections_lost",
        "upstream connections that ended by an error or with operations in flight",
        BackendStatus::connectionsLost);
    replicas();
  }

  private void replicas() {
    detail(
        "upstream_positions",
        "replication position of each server, as it reports it; empty if it reports none",
        MonitorAttributes::positions);
    detail(
        "upstream_lag",
        "largest lag of a replica behind the primary, in milliseconds",
        s -> Long.toString(replicas(s).mapToLong(ReplicaStatus::lagMillis).max().orElse(0)));
    addNumber(
        "upstream_behind",
        "replicas without reads because their lag exceeds replication.maxLag",
        s -> replicas(s).filter(ReplicaStatus::behind).count());
    addNumber(
        "unreplicated_writes",
        "writes that some readable server may still lack",
        s -> s.status().unreplicatedWrites());
    addNumber(
        "upstream_uncovered",
        "reads for which no server was known to have all required changes",
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
    addNumber(
        "tls_certificate_expiry",
        "expiry of the listeners' certificate, in seconds since 1970; 0 without one",
        MonitorAttributes::expiry);
    tls("tls_reloads", "successful reloads of certificate files", TlsContext.Status::reloads);
    tls("tls_reloads_failed", "failed reloads of certificate files", TlsContext.Status::failures);
  }

  private static long expiry(MonitorSnapshot snapshot) {
    return snapshot.status().tls().stream()
        .filter(TlsContext.Status::ofListeners)
        .flatMap(tls -> Stream.ofNullable(tls.expires()))
        .mapToLong(Instant::getEpochSecond)
        .findFirst()
        .orElse(0);
  }

  private void tls(String name, String description, ToLongFunction<TlsContext.Status> value) {
    addNumber(name, description, s -> s.status().tls().stream().mapToLong(value).sum());
  }

  private void cache(String name, String description, ToLongFunction<CacheStats> value) {
    addNumber(name, description, snapshot -> value.applyAsLong(snapshot.cache()));
  }

  private void upstream(String name, String description, ToLongFunction<BackendStatus> value) {
    addNumber(name, description, s -> s.status().backends().stream().mapToLong(value).sum());
  }

  private void addNumber(String name, String description, ToLongFunction<MonitorSnapshot> value) {
    text(name, description, snapshot -> Long.toString(value.applyAsLong(snapshot)));
  }

  private void text(String name, String description, Function<MonitorSnapshot, String> value) {
    list(name, description, snapshot -> List.of(value.apply(snapshot)));
  }

  private void detail(String name, String description, Function<MonitorSnapshot, String> value) {
    list(
        name,
        description + "; for readers only",
        snapshot -> snapshot.showsServers() ? List.of(value.apply(snapshot)) : List.of());
  }

  private void list(
      String name, String description, Function<MonitorSnapshot, List<String>> values) {
    attributes.add(new MonitorAttribute(name, description, values));
  }

  private List<MonitorAttribute> finish() {
    return List.copyOf(attributes);
  }

  private static String bool(boolean value) {
    return value ? "TRUE" : "FALSE";
  }
}
