// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * One request that a {@link ScriptedUpstream} will keep unanswered until the test says how it ends:
 * the way to force an interleaving. Thread-safe.
 */
public final class Held {
  private static final int SECONDS = 30;

  private record Arrival(Received request, UpstreamLink link) {}

  private final Predicate<Received> rule;
  private final CompletableFuture<Arrival> arrival = new CompletableFuture<>();

  Held(Predicate<Received> rule) {
    this.rule = rule;
  }

  /** Takes the request if it is the one that is waited for. */
  boolean takes(Received request, UpstreamLink link) {
    return !arrival.isDone() && rule.test(request) && arrival.complete(new Arrival(request, link));
  }

  /** Waits until the request has arrived. */
  public Received awaitArrival() {
    return arrived().request();
  }

  /** Whether the request has arrived by now. */
  public boolean hasArrived() {
    return arrival.isDone();
  }

  /** Waits for the request and answers it now; a bind that is held has succeeded after this. */
  public void answer(Answer answer) {
    Arrival held = arrived();
    if (held.request().is(Received.BIND)) {
      held.link().bound(held.request(), true);
    }
    answer.to(held.request(), held.link());
  }

  private Arrival arrived() {
    try {
      return arrival.get(SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("the request that was to be held never arrived", e);
    }
  }
}
