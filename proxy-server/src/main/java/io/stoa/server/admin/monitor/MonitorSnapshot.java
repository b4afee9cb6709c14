// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.result.CacheStats;
import io.stoa.metrics.OperationCounters;
import io.stoa.metrics.OperationKind;
import io.stoa.operation.event.ClientStatus;
import io.stoa.proxy.ProxyStatus;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.server.ServerAddress;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The numbers of one answer. What ends an operation is read before what begins one, so that under
 * load too nothing has ended that has not begun. Immutable.
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
  private final List<ClientStatus> clients;
  private final List<ClientStatus> incoming;
  private final List<ConnectionStatus> outgoing;

  /**
   * @param audience what may be shown
   * @param clients those that are shown, if they may be
   * @param incoming those that are shown as lloadd does
   * @param outgoing connections to directory servers, if they may be named
   */
  MonitorSnapshot(
      MonitorSource source,
      Audience audience,
      List<ClientStatus> clients,
      List<ClientStatus> incoming,
      List<ConnectionStatus> outgoing) {
    this.source = source;
    this.audience = audience;
    this.clients = List.copyOf(clients);
    this.incoming = List.copyOf(incoming);
    this.outgoing = List.copyOf(outgoing);
    counters = source.counters();
    for (OperationKind kind : OperationKind.values()) {
      completed.put(kind, counters.completed(kind));
      nanos.put(kind, counters.nanos(kind));
    }
    ownSearches = counters.ownSearches();
    malformedSearches = counters.malformedSearches();
    status = source.status().get();
    for (OperationKind kind : OperationKind.values()) {
      received.put(kind, counters.received(kind));
    }
    time = source.clock().instant();
  }

  long received(OperationKind kind) {
    return received.getOrDefault(kind, 0L);
  }

  long completed(OperationKind kind) {
    return completed.getOrDefault(kind, 0L);
  }

  /** How long those that have ended took, all together. */
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

  /** Searches that could not use the caches at all, those of Stoa's own tree included. */
  long bypassed() {
    return cache().bypassed() + ownSearches;
  }

  /** Searches that were refused because they were malformed. */
  long refused() {
    return malformedSearches;
  }

  /** Searches of which it is not decided yet what becomes of them. */
  long undecided() {
    long decided = cache().filterHits() + cache().filterMisses() + bypassed() + refused();
    return received(OperationKind.SEARCH) - decided;
  }

  /** Operations that have begun and not ended. */
  long inFlight() {
    return received() - completed();
  }

  /** Whether clients and identities may be named, and actions be offered. */
  boolean named() {
    return audience == Audience.ADMINISTRATOR;
  }

  /** True if servers, feeds, classes and windows may be told of. */
  boolean detailed() {
    return audience != Audience.EVERYBODY;
  }

  /** Whether there is an administrator, whoever asks. */
  boolean administrator() {
    return source.administrator();
  }

  /** What entries can be told to do. */
  MonitorSource.Offers offers() {
    return source.offers();
  }

  /** The clients, for those who may know them; else nobody. */
  List<ClientStatus> clients() {
    return named() ? clients : List.of();
  }

  /** The same, as far as they are shown as lloadd does. */
  List<ClientStatus> incoming() {
    return named() ? incoming : List.of();
  }

  /** The connections to one directory server, for those who may know them; else none. */
  List<ConnectionStatus> outgoing(ServerAddress server) {
    return outgoing.stream().filter(one -> named() && one.server().equals(server)).toList();
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
