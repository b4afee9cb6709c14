// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.cache.maintenance.Upkeep;
import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Explanation;
import io.stoa.cache.result.Explanation.Question;
import io.stoa.client.connection.Frontend;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.event.ClientChoice;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.pool.ConnectionInspector;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** What an administrator can have a running proxy do, once. Thread-safe. */
public final class Steering {
  private final Frontend frontend;
  private final Caches caches;
  private final Upkeep upkeep;
  private final List<Directory> directories;
  private final Explainer explainer;

  Steering(
      Frontend frontend,
      Caches caches,
      Upkeep upkeep,
      List<Directory> directories,
      Explainer explainer) {
    this.frontend = frontend;
    this.caches = caches;
    this.upkeep = upkeep;
    this.directories = directories;
    this.explainer = explainer;
  }

  /** The caches, to be emptied. */
  public Caches caches() {
    return caches;
  }

  /** What looks after the caches. */
  public Upkeep upkeep() {
    return upkeep;
  }

  /** Ends the connection of a client; false if there is none of that number. */
  public CompletableFuture<Boolean> disconnect(long number) {
    return frontend.disconnect(number);
  }

  /** Has all connections to a directory server made anew; false if there is no such server. */
  public boolean reconnect(ServerAddress server) {
    boolean known = false;
    for (Directory directory : directories) {
      known |= directory.reconnect(server);
    }
    return known;
  }

  /**
   * Looks at the connections to directory servers, each on its own event loop.
   *
   * @param choice which of them are wanted; if not all are, one of each server is told of, too
   */
  public CompletableFuture<List<ConnectionStatus>> connections(ClientChoice choice) {
    return ask(survey -> survey.take(choice))
        .thenApply(each -> each.stream().flatMap(List::stream).toList());
  }

  /**
   * Lets a connection to a directory server end, and nobody lose anything by that; false if there
   * is none of that number.
   */
  public CompletableFuture<Boolean> close(long number) {
    return ask(survey -> CompletableFuture.completedFuture(survey.close(number)))
        .thenApply(each -> each.contains(true));
  }

  private <T> CompletableFuture<List<T>> ask(
      Function<ConnectionInspector, CompletableFuture<T>> question) {
    List<CompletableFuture<T>> each =
        directories.stream().flatMap(directory -> directory.ask(question).stream()).toList();
    return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new))
        .thenApply(done -> each.stream().map(CompletableFuture::join).toList());
  }

  /**
   * Tells whether a search would be answered from memory. Called on any thread.
   *
   * @throws LdapProtocolException if the request is malformed
   */
  public Explanation explain(Question question) throws LdapProtocolException {
    return explainer.explain(question);
  }
}
