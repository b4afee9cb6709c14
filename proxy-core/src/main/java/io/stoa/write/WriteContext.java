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
 * Configuration and collaborators that the write stages of all event loops share. Suppliers return
 * the present value.
 *
 * <p>Threading: immutable.
 *
 * @param windows the write windows
 * @param listener receives changes
 * @param waiting the writes that wait
 * @param disconnects true if a client is disconnected when the outcome of its write is unknown
 * @param timeout maximum time of an operation without an answer
 * @param clock time in nanoseconds, as of {@link System#nanoTime}
 */
public record WriteContext(
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

  /**
   * Lets a transaction session be bound with the credentials of a client.
   *
   * <p>Threading: event loop.
   */
  public interface BindLender {
    /**
     * Lets the session be bound as the client, with a bind that is at least as recent as the
     * client's.
     *
     * @param session the transaction session
     */
    void lend(ClientSession session, ClientSession client);

    /** Returns the number of the bind that gave the session its identity; 0 if there was none. */
    long bindNumber(ClientSession session);
  }
}
