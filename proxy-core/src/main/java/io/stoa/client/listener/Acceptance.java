// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.stoa.net.transport.PressureLog;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.LoggerFactory;

/**
 * Counts the connections of one listener and paces their acceptance. A connection takes an open
 * file as soon as it is accepted, but its event loop may admit or refuse it later. So the number of
 * connections between the two is bounded.
 *
 * <p>Threading: event loop; the counts are thread-safe.
 */
final class Acceptance extends ChannelInboundHandlerAdapter {
  /** Maximum number of connections that are accepted, and neither admitted nor refused: 8. */
  private static final int MAX_PENDING = 8;

  private static final long PAUSE_MILLIS = 100;

  private final LongAdder accepted = new LongAdder();
  private final AtomicInteger pending = new AtomicInteger();
  private volatile boolean ended;
  private final PressureLog failures =
      new PressureLog(
          LoggerFactory.getLogger(Acceptance.class),
          "accepting clients failed: too many open files in the process or the system. Raise the "
              + "limit (ulimit -n, or LimitNOFILE of systemd) (count={})");

  /** Returns the number of connections that the listener has accepted. */
  long accepted() {
    return accepted.sum();
  }

  /** Never resumes to accept. */
  void end() {
    ended = true;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object child) {
    accepted.increment();
    Channel listener = ctx.channel();
    if (pending.incrementAndGet() >= MAX_PENDING) {
      listener.config().setAutoRead(false);
    }
    ctx.fireChannelRead(child);
    Channel client = (Channel) child;
    if (client.isOpen()) {
      client.eventLoop().execute(() -> admitted(listener)); // runs after the task that registers it
    } else {
      admitted(listener);
    }
  }

  private void admitted(Channel listener) {
    if (pending.decrementAndGet() < MAX_PENDING && !listener.config().isAutoRead()) {
      resume(listener);
    }
  }

  private void resume(Channel listener) {
    if (!ended) {
      listener.config().setAutoRead(true);
    }
  }

  /**
   * Pauses for 100 ms when no connection can be accepted for lack of open files, and then tries
   * again.
   */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      failures.increment();
      failures.report();
      ctx.channel().config().setAutoRead(false);
      ctx.executor().schedule(() -> resume(ctx.channel()), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      ctx.fireExceptionCaught(cause);
    }
  }
}
