// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.stoa.ldap.LdapMessage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request of Stoa's own on a connection, such as the bind that gives it its identity. It is
 * answered once, or the connection ends. Event-loop confined.
 */
final class OwnRequest {
  private final Consumer<@Nullable LdapMessage> outcome;
  private final Future<?> deadline;
  private boolean ended;

  /**
   * Begins to wait for the answer.
   *
   * @param late what is done if none comes in time
   * @param outcome hears the answer, which it does not own, or null if there will be none
   */
  OwnRequest(
      EventExecutor loop, long millis, Runnable late, Consumer<@Nullable LdapMessage> outcome) {
    this.outcome = outcome;
    this.deadline = loop.schedule(late, millis, TimeUnit.MILLISECONDS);
  }

  /** The answer, which is released after; null if there will be none. */
  void answered(@Nullable LdapMessage answer) {
    deadline.cancel(false);
    try {
      if (!ended) {
        ended = true;
        outcome.accept(answer);
      }
    } finally {
      if (answer != null) {
        answer.release();
      }
    }
  }
}
