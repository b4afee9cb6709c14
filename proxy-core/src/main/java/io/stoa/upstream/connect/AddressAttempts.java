// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.stoa.net.transport.NameResolver;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Connects to the first address of a host that accepts the connection, in the order of the system's
 * resolver.
 *
 * <p>Threading: event loop.
 */
final class AddressAttempts {
  private final EventLoop loop;
  private final Bootstrap tcp;
  private final long deadline;
  private final Dialer.DialListener outcome;
  private final ArrayDeque<InetSocketAddress> remaining = new ArrayDeque<>();

  /**
   * Creates the attempt for one connection.
   *
   * @param timeout time-out of all attempts together
   */
  AddressAttempts(EventLoop loop, Bootstrap tcp, Duration timeout, Dialer.DialListener outcome) {
    this.loop = loop;
    this.tcp = tcp;
    this.deadline = System.nanoTime() + timeout.toNanos();
    this.outcome = outcome;
  }

  /** Resolves the host and tries its addresses. */
  void connect(InetSocketAddress host, NameResolver names) {
    names
        .getResolver(loop)
        .resolveAll(host)
        .addListener(
            (Future<List<InetSocketAddress>> found) -> loop.execute(() -> onResolved(found)));
  }

  private void onResolved(Future<List<InetSocketAddress>> found) {
    if (!found.isSuccess()) {
      outcome.onFailed(found.cause());
      return;
    }
    remaining.addAll(found.getNow());
    tryNext(new UnknownHostException("the host has no address"));
  }

  /** Tries the next address. If none is left, the previous failure is the result. */
  private void tryNext(Throwable previous) {
    InetSocketAddress next = remaining.poll();
    long millis = (deadline - System.nanoTime()) / 1_000_000 / (remaining.size() + 1);
    if (next == null || millis <= 0) {
      outcome.onFailed(previous);
    } else {
      report(loop, attempt(next, millis), outcome, remaining.isEmpty() ? outcome : new TryNext());
    }
  }

  private ChannelFuture attempt(InetSocketAddress address, long millis) {
    Bootstrap attemptBootstrap =
        tcp.clone().option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) millis);
    return attemptBootstrap.connect(address);
  }

  /** Tries the next address after a failure. */
  private final class TryNext implements Dialer.DialListener {
    @Override
    public void onConnected(Channel channel) {
      outcome.onConnected(channel);
    }

    @Override
    public void onFailed(Throwable cause) {
      tryNext(cause);
    }
  }

  /** Reports the attempt to {@code caller} and its result to {@code outcome}, on the loop. */
  static void report(
      EventLoop loop,
      ChannelFuture attempt,
      Dialer.DialListener caller,
      Dialer.DialListener outcome) {
    if (!attempt.isDone()) {
      caller.onAttempt(attempt.channel());
    }
    attempt.addListener(
        (ChannelFuture done) -> {
          if (done.isSuccess()) {
            outcome.onConnected(done.channel());
          } else {
            // Without a channel (no file descriptor is left) the future does not run on the loop.
            loop.execute(() -> outcome.onFailed(done.cause()));
          }
        });
  }
}
