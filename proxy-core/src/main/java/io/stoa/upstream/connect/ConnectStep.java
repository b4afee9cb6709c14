// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One step on the way from a socket to a connection that may be used. It ends once, by success, by
 * failure, or because its time is over. Event-loop confined.
 */
final class ConnectStep {
  private final Channel channel;
  private final Dialer.Outcome outcome;
  private @Nullable Future<?> deadline;
  private boolean ended;

  /**
   * Makes it.
   *
   * @param outcome hears how it ended, unless it never does
   */
  ConnectStep(Channel channel, Dialer.Outcome outcome) {
    this.channel = channel;
    this.outcome = outcome;
  }

  /**
   * Begins to wait.
   *
   * @param nanos how long it may take
   * @param late what the server did not do if it takes longer
   */
  void within(long nanos, Supplier<String> late) {
    deadline =
        channel
            .eventLoop()
            .schedule(() -> fail(new IOException(late.get())), nanos, TimeUnit.NANOSECONDS);
  }

  /** Whether it has ended: what comes then is not for it. */
  boolean ended() {
    return ended;
  }

  /** What this handler was to do is done. */
  void succeed(ChannelHandler handler) {
    if (end()) {
      channel.pipeline().remove(handler);
      outcome.connected(channel);
    }
  }

  /** It is of no use to go on, and the connection is closed. */
  void fail(Throwable cause) {
    if (end()) {
      channel.close();
      outcome.failed(cause);
    }
  }

  /** Whether this is the first end. */
  private boolean end() {
    boolean first = !ended;
    ended = true;
    if (deadline != null) {
      deadline.cancel(false);
    }
    return first;
  }
}
