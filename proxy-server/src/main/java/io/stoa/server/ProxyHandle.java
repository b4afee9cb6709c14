// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.result.CacheStats;
import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Explanation;
import io.stoa.cache.result.Explanation.Question;
import io.stoa.metrics.ProxyStatus;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.digest.DigestTable;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.proxy.Proxy;
import io.stoa.proxy.advice.AdviceReport;
import io.stoa.proxy.advice.Advisor;
import io.stoa.proxy.advice.TrafficStatus;
import io.stoa.server.admin.action.ActionException;
import io.stoa.upstream.connection.ConnectionStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reference to the proxy for parts that are created before it. The first clients may ask for its
 * status while it is still starting.
 *
 * <p>Threading: thread-safe.
 */
final class ProxyHandle {
  private static final CacheStats EMPTY =
      new CacheStats(
          false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false, 0, 0,
          List.of());
  private static final ProxyStatus STARTING =
      new ProxyStatus(
          false,
          "starting",
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          EMPTY,
          List.of(),
          List.of(),
          0,
          0,
          0,
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          MaintenanceStatus.NONE);

  private volatile @Nullable Proxy proxy;

  void attach(Proxy started) {
    proxy = started;
  }

  /** Returns the proxy, or refuses the action while it is starting. */
  Proxy get() throws ActionException {
    Proxy started = proxy;
    if (started == null) {
      throw ActionException.unwilling("Stoa is starting");
    }
    return started;
  }

  ProxyStatus status() {
    Proxy started = proxy;
    return started == null ? STARTING : started.status();
  }

  /**
   * Returns the statistics of searches by pattern; none while the proxy is starting.
   *
   * @param all false for those of all searches without a tracked pattern only
   */
  List<DigestStatus> digests(boolean all) {
    Proxy started = proxy;
    if (started == null) {
      return List.of();
    }
    DigestTable table = started.adminCommands().caches().digests();
    return all ? table.status() : List.of(table.statusOfOthers());
  }

  /**
   * Derives advice from live traffic; null while the proxy is starting.
   *
   * @param counters counters of clients
   */
  @Nullable AdviceReport advice(OperationCounters counters) {
    Proxy started = proxy;
    if (started == null) {
      return null;
    }
    ProxyStatus status = started.status();
    Caches caches = started.adminCommands().caches();
    return Advisor.advise(
        new TrafficStatus(
            caches.config(),
            status.cache(),
            Runtime.getRuntime().maxMemory(),
            caches.simulation().byResults(),
            caches.simulation().byEntries(),
            caches.largeAnswers().sizes(),
            caches.equalAnswers().comparisons(),
            caches.digests().status(),
            status.withoutFeed(),
            counters.failedBinds().top(),
            counters.connections().status()));
  }

  /** Explains a search. While the proxy is starting, the explanation is empty. */
  Explanation explain(Question question) {
    Proxy started = proxy;
    return started == null ? new Explanation() : started.adminCommands().explain(question);
  }

  CompletableFuture<List<ConnectionStatus>> connections(ClientChoice choice) {
    Proxy started = proxy;
    return started == null
        ? CompletableFuture.completedFuture(List.of())
        : started.adminCommands().connections(choice);
  }

  CompletableFuture<List<ClientStatus>> survey(ClientChoice choice) {
    Proxy started = proxy;
    return started == null ? CompletableFuture.completedFuture(List.of()) : started.survey(choice);
  }
}
