// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.cache.maintenance.CacheMaintenance;
import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Explanation;
import io.stoa.cache.result.Explanation.Question;
import io.stoa.client.connection.Frontend;
import io.stoa.operation.event.ClientChoice;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.pool.ConnectionInspector;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Commands of the administrator to a running proxy.
 *
 * <p>Threading: thread-safe.
 */
public final class AdminCommands {
  private final Frontend frontend;
  private final Caches caches;
  private final CacheMaintenance maintenance;
  private final List<Directory> directories;
  private final Explainer explainer;

  AdminCommands(
      Frontend frontend,
      Caches caches,
      CacheMaintenance maintenance,
      List<Directory> directories,
      Explainer explainer) {
    this.frontend = frontend;
    this.caches = caches;
    this.maintenance = maintenance;
    this.directories = directories;
    this.explainer = explainer;
  }

  /** Returns the caches, for flushing. */
  public Caches caches() {
    return caches;
  }

  /** Returns the maintenance of the caches. */
  public CacheMaintenance maintenance() {
    return maintenance;
  }

  /** Closes the connection of a client; false if there is none with that number. */
  public CompletableFuture<Boolean> disconnect(long number) {
    return frontend.disconnect(number);
  }

  /** Replaces all connections to a directory server; false if there is no such server. */
  public boolean reconnect(ServerAddress server) {
    boolean found = false;
    for (Directory directory : directories) {
      found |= directory.reconnect(server);
    }
    return found;
  }

  /**
   * Reads the status of connections to directory servers, each on its own event loop.
   *
   * @param choice the wanted connections; if not all are wanted, one of each server is included
   */
  public CompletableFuture<List<ConnectionStatus>> connections(ClientChoice choice) {
    return ask(survey -> survey.list(choice))
        .thenApply(each -> each.stream().flatMap(List::stream).toList());
  }

  /**
   * Closes a connection to a directory server once that disturbs no client; false if there is none
   * with that number.
   */
  public CompletableFuture<Boolean> close(long number) {
    return ask(survey -> CompletableFuture.completedFuture(survey.close(number)))
        .thenApply(each -> each.contains(true));
  }

  private <T> CompletableFuture<List<T>> ask(
      Function<ConnectionInspector, CompletableFuture<T>> request) {
    List<CompletableFuture<T>> answers =
        directories.stream().flatMap(directory -> directory.ask(request).stream()).toList();
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
  }

  /** Explains whether a search would be a hit. Called on any thread. */
  public Explanation explain(Question request) {
    return explainer.explain(request);
  }
}
