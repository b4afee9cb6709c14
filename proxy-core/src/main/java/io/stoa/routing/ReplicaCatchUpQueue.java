// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.routing.ReadEligibility.Known;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.server.Backend;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads for which no server that answers is known to have what they must show, since who had it has
 * been lost a moment ago. It may be on its way to others, or be there already and not be known to
 * be: they wait for that for a moment, and go on without it if it does not come. Event-loop
 * confined.
 */
final class ReplicaCatchUpQueue {
  /** So often it is looked whether what is waited for has come. */
  private static final long PAUSE_MILLIS = 10;

  private final ReadEligibility freshness;
  private final FairQueue waiting;
  private final Consumer<Operation> ways;
  private boolean looks;
  private long news;

  /**
   * Makes it for one loop.
   *
   * @param bound of all that waits
   * @param ways where operations go on
   */
  ReplicaCatchUpQueue(ReadEligibility freshness, QueueBound bound, Consumer<Operation> ways) {
    this.freshness = freshness;
    this.waiting = new FairQueue(bound);
    this.ways = ways;
  }

  /**
   * Has an operation wait, if the server that was chosen may lack what it must show, and there is
   * something to wait for.
   *
   * @param known which servers have that; null if all have
   * @param chosen null if there is none
   * @param eligible which servers may be asked at all
   * @return whether it waits, and will be sent later; if not, it is counted if the server may lack
   *     that
   */
  boolean keep(
      Operation operation,
      @Nullable Known known,
      @Nullable Backend chosen,
      Predicate<Backend> eligible) {
    if (known == null || chosen == null || known.test(chosen)) {
      return false;
    }
    boolean waits = freshness.awaits(known, eligible) && add(operation);
    if (!waits) {
      freshness.uncovered(chosen);
    }
    return waits;
  }

  /** The same of a bind, which is looked at only if there may be something to wait for. */
  boolean keepBind(Operation bind, Backend chosen, Predicate<Backend> eligible)
      throws LdapProtocolException {
    return freshness.losing() && keep(bind, freshness.known(bind, false), chosen, eligible);
  }

  private boolean add(Operation operation) {
    operation.moveTo(OperationState.WAITING);
    boolean waits = waiting.add(operation, System.nanoTime());
    if (waits && !looks) {
      news = freshness.news();
      lookLater(operation.session().executor());
    }
    return waits;
  }

  private void lookLater(EventExecutor loop) {
    looks = true;
    freshness.hurry();
    loop.schedule(new GuardedTask(() -> look(loop)), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Whatever still waits for it is kept anew. */
  private void look(EventExecutor loop) {
    looks = false;
    if (freshness.losing() && freshness.news() == news) { // the moment may have passed before
      lookLater(loop);
      return;
    }
    for (Operation next : waiting.drain()) {
      if (!next.ended()) { // one may end others of its client
        new GuardedTask(() -> ways.accept(next)).run();
      }
    }
  }
}
