// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.client.auth.StoredCredentials;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.operation.OperationListener;
import io.stoa.operation.Stage;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What the process around the proxy adds to it. Immutable.
 *
 * @param front makes the first link of each event loop's chain from the link that follows it
 * @param listener hears what happens to clients and their operations
 * @param binds answers binds of clients whom only the process knows
 * @param opened hears, once, on which listeners clients can come, before anything is said of the
 *     configuration
 * @param feedState the file that keeps what feeds have been told for the next start; null for none
 */
public record Extensions(
    UnaryOperator<Stage> front,
    OperationListener listener,
    StoredCredentials binds,
    Consumer<List<ListenerConfig>> opened,
    @Nullable Path feedState) {
  /** The same where all who bind are known to directories, and no file keeps anything. */
  public Extensions(
      UnaryOperator<Stage> front,
      OperationListener listener,
      Consumer<List<ListenerConfig>> opened) {
    this(front, listener, StoredCredentials.NONE, opened, null);
  }

  /** Nothing is added. */
  public static Extensions none() {
    return new Extensions(next -> next, OperationListener.NONE, listeners -> {});
  }
}
