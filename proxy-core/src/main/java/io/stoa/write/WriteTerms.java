// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.operation.ChangeListener;
import io.stoa.operation.ClientSession;
import io.stoa.replication.WaitingChanges;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What the stages of all event loops share. Immutable.
 *
 * @param windows in which writes wait
 * @param listener hears of what has changed
 * @param waiting makes known what waits
 * @param disconnects whether now a client is disconnected if nobody knows the outcome of its write
 * @param timeout so long now an operation may be without an answer
 * @param clock in the time of {@link System#nanoTime}
 */
public record WriteTerms(
    Windows windows,
    ChangeListener listener,
    WaitingChanges waiting,
    BooleanSupplier disconnects,
    Supplier<Duration> timeout,
    LongSupplier clock) {

  boolean disconnect() {
    return disconnects.getAsBoolean();
  }

  Duration operationTimeout() {
    return timeout.get();
  }

  /** Lets a session that stands for a client be bound as the client is. Event-loop confined. */
  public interface Lender {
    /** What is bound for the deputy is to be no older than what would be bound for the client. */
    void lend(ClientSession deputy, ClientSession client);

    /** The count of the bind by which a session is who it is; 0 if there was none. */
    long since(ClientSession session);
  }
}
