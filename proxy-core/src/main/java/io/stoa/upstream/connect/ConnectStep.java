// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import io.stoa.net.transport.DescribedException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One step from a new socket to a usable connection. The step ends once: by success, failure or
 * time-out.
 *
 * <p>Threading: event loop.
 */
final class ConnectStep {
  private final Channel channel;
  private final Dialer.DialListener outcome;
  private @Nullable Future<?> deadline;
  private boolean ended;

  /**
   * Creates the step.
   *
   * @param outcome receives the result
   */
  ConnectStep(Channel channel, Dialer.DialListener outcome) {
    this.channel = channel;
    this.outcome = outcome;
  }

  /**
   * Starts the time-out.
   *
   * @param nanos time-out in ns
   * @param message supplies the error message if it expires
   */
  void startTimeout(long nanos, Supplier<String> message) {
    deadline =
        channel
            .eventLoop()
            .schedule(
                () -> fail(new DescribedException(message.get())), nanos, TimeUnit.NANOSECONDS);
  }

  /** True if the step has ended; later events are ignored. */
  boolean isEnded() {
    return ended;
  }

  /** Ends the step with success and removes its handler. */
  void succeed(ChannelHandler handler) {
    if (end()) {
      channel.pipeline().remove(handler);
      outcome.onConnected(channel);
    }
  }

  /** Ends the step with a failure and closes the connection. */
  void fail(Throwable cause) {
    if (end()) {
      channel.close();
      outcome.onFailed(cause);
    }
  }

  /** Ends the step. Returns false if it had ended before. */
  private boolean end() {
    boolean first = !ended;
    ended = true;
    if (deadline != null) {
      deadline.cancel(false);
    }
    return first;
  }
}
