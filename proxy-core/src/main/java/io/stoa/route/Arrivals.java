// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.backend.Backend;
import io.stoa.codec.GuardedTask;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.queue.FairQueue;
import io.stoa.queue.QueueBound;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Reads for which no server that answers is known to have what they must show, since who took that
 * has been lost a moment ago. It may be on its way to others, or be there already and not be known
 * to be: they wait for that for a moment, and go on without it if it does not come. Event-loop
 * confined.
 */
final class Arrivals {
  /** So often it is looked whether what is waited for has come. */
  private static final long PAUSE_MILLIS = 10;

  private final Freshness freshness;
  private final FairQueue waiting;
  private final Consumer<Operation> ways;
  private boolean looks;

  /**
   * Makes it for one loop.
   *
   * @param bound of all that waits
   * @param ways where operations go on
   */
  Arrivals(Freshness freshness, QueueBound bound, Consumer<Operation> ways) {
    this.freshness = freshness;
    this.waiting = new FairQueue(bound);
    this.ways = ways;
  }

  /** Which servers an operation may be sent to. */
  interface Eligible {
    Predicate<Backend> of(Operation operation) throws LdapProtocolException;
  }

  /**
   * Has an operation wait, if there is something to wait for.
   *
   * @param eligible which servers may be asked at all
   * @return whether it waits, and will be sent later
   */
  boolean keep(Operation operation, Eligible eligible) throws LdapProtocolException {
    boolean waits =
        !operation.mayChange()
            && freshness.losing()
            && freshness.awaits(operation, eligible.of(operation))
            && waiting.add(operation, System.nanoTime());
    if (waits) {
      operation.moveTo(OperationState.WAITING);
      freshness.hurry();
      lookLater(operation.session().executor());
    }
    return waits;
  }

  private void lookLater(EventExecutor loop) {
    if (!looks) {
      looks = true;
      loop.schedule(new GuardedTask(this::look), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Whatever still waits for it is kept anew. */
  private void look() {
    looks = false;
    waiting.drain().forEach(one -> new GuardedTask(() -> ways.accept(one)).run());
  }
}
