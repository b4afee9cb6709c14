// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.result.CacheStats;
import io.stoa.metrics.OperationKind;
import io.stoa.metrics.ProxyStatus;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientStatus;
import io.stoa.proxy.advice.AdviceReport;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.server.ServerAddress;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of one answer. Counters of ends are read before counters of beginnings. So even under
 * load an answer never shows more operations ended than begun.
 *
 * <p>Threading: immutable.
 */
final class MonitorSnapshot {
  private final Map<OperationKind, Long> completed = new EnumMap<>(OperationKind.class);
  private final Map<OperationKind, Long> received = new EnumMap<>(OperationKind.class);
  private final Map<OperationKind, Long> nanos = new EnumMap<>(OperationKind.class);
  private final OperationCounters counters;
  private final long ownSearches;
  private final long malformedSearches;
  private final ProxyStatus status;
  private final MonitorSource source;
  private final Instant time;
  private final Audience audience;
  private final Details details;

  /**
   * The parts that only the administrator sees, as far as the operation can concern them.
   *
   * <p>Threading: immutable.
   *
   * @param clients clients to show as slapd does
   * @param incoming clients to show as lloadd does
   * @param ofNetworks clients to count by network
   * @param outgoing connections to directory servers
   * @param digests statistics of searches by pattern
   * @param advice advice from live traffic; null if the operation cannot concern it
   */
  record Details(
      List<ClientStatus> clients,
      List<ClientStatus> incoming,
      List<ClientStatus> ofNetworks,
      List<ConnectionStatus> outgoing,
      List<DigestStatus> digests,
      @Nullable AdviceReport advice) {
    private static final Details NONE =
        new Details(List.of(), List.of(), List.of(), List.of(), List.of(), null);

    Details {
      clients = List.copyOf(clients);
      incoming = List.copyOf(incoming);
      ofNetworks = List.copyOf(ofNetworks);
      outgoing = List.copyOf(outgoing);
      digests = List.copyOf(digests);
    }
  }

  /**
   * @param audience rights of the client that receives the answer
   * @param details hidden unless the audience is the administrator
   */
  MonitorSnapshot(MonitorSource source, Audience audience, Details details) {
    this.source = source;
    this.audience = audience;
    this.details = audience == Audience.ADMINISTRATOR ? details : Details.NONE;
    counters = source.counters();
    for (OperationKind kind : OperationKind.values()) {
      completed.put(kind, counters.completed().get(kind.request()));
      nanos.put(kind, counters.nanos(kind.request()));
    }
    ownSearches = counters.events().get(ClientEvent.OWN_SEARCH);
    malformedSearches = counters.events().get(ClientEvent.MALFORMED_SEARCH);
    status = source.status().get();
    for (OperationKind kind : OperationKind.values()) {
      received.put(kind, counters.received().get(kind.request()));
    }
    time = source.clock().instant();
  }

  long received(OperationKind kind) {
    return received.getOrDefault(kind, 0L);
  }

  long completed(OperationKind kind) {
    return completed.getOrDefault(kind, 0L);
  }

  /** Returns the total duration in ns of the operations of a kind that have ended. */
  long nanos(OperationKind kind) {
    return nanos.getOrDefault(kind, 0L);
  }

  long nanos() {
    return sum(nanos);
  }

  long received() {
    return sum(received);
  }

  long completed() {
    return sum(completed);
  }

  /**
   * Returns the number of searches that could not use the caches at all, including those of Stoa's
   * own trees.
   */
  long bypassed() {
    return cache().bypassed() + ownSearches;
  }

  /** Returns the number of searches refused as malformed. */
  long refused() {
    return malformedSearches;
  }

  /** Returns the number of searches not yet counted as hit, miss, bypassed or refused. */
  long undecided() {
    long decided = cache().filterHits() + cache().filterMisses() + bypassed() + refused();
    return received(OperationKind.SEARCH) - decided;
  }

  /** Returns the number of operations that have begun and not ended. */
  long inFlight() {
    return received() - completed();
  }

  /** True if clients, identities and actions may be shown. */
  boolean showsClients() {
    return audience == Audience.ADMINISTRATOR;
  }

  /** True if servers, feeds, sharing classes and windows may be shown. */
  boolean showsServers() {
    return audience != Audience.ANY_CLIENT;
  }

  /** True if Stoa has an administrator. */
  boolean isAdministrator() {
    return source.administrator();
  }

  /** Returns the actions that entries offer. */
  MonitorSource.EntryActions offers() {
    return source.entryActions();
  }

  /** Returns the clients to show as slapd does; empty unless the audience is the administrator. */
  List<ClientStatus> clients() {
    return details.clients();
  }

  /** Returns the clients to show as lloadd does; empty unless the audience is the administrator. */
  List<ClientStatus> incoming() {
    return details.incoming();
  }

  /** Returns the clients to count by network; empty unless the audience is the administrator. */
  List<ClientStatus> ofNetworks() {
    return details.ofNetworks();
  }

  /** Returns the last warnings and errors of the log, the newest first. */
  List<String> warnings() {
    return source.warnings().get();
  }

  /**
   * Returns the connections to one directory server; empty unless the audience is the
   * administrator.
   */
  List<ConnectionStatus> outgoing(ServerAddress server) {
    return details.outgoing().stream().filter(one -> one.server().equals(server)).toList();
  }

  /** Returns the search digests; empty unless the audience is the administrator. */
  List<DigestStatus> digests() {
    return details.digests();
  }

  /** Returns the advice; null unless the audience is the administrator and asks for it. */
  @Nullable AdviceReport advice() {
    return details.advice();
  }

  Instant time() {
    return time;
  }

  Instant started() {
    return source.started();
  }

  OperationCounters counters() {
    return counters;
  }

  /** Returns the number of events since the start. */
  long count(ClientEvent event) {
    return counters.events().get(event);
  }

  ProxyStatus status() {
    return status;
  }

  CacheStats cache() {
    return status.cache();
  }

  String version() {
    return source.version();
  }

  String currentTime() {
    return source.times().print(time);
  }

  String startTime() {
    return source.times().print(source.started());
  }

  private static long sum(Map<OperationKind, Long> numbers) {
    return numbers.values().stream().mapToLong(Long::longValue).sum();
  }
}
