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
 * Connects to the first address of a host that takes the connection, in the order in which the
 * system names them. Event-loop confined.
 */
final class Addresses {
  private final EventLoop loop;
  private final Bootstrap tcp;
  private final long deadline;
  private final Dialer.Outcome outcome;
  private final ArrayDeque<InetSocketAddress> left = new ArrayDeque<>();

  /**
   * Makes it for one connection.
   *
   * @param timeout how long all attempts together may take
   */
  Addresses(EventLoop loop, Bootstrap tcp, Duration timeout, Dialer.Outcome outcome) {
    this.loop = loop;
    this.tcp = tcp;
    this.deadline = System.nanoTime() + timeout.toNanos();
    this.outcome = outcome;
  }

  /** Looks for the addresses of the host, and tries them. */
  void connect(InetSocketAddress host, NameResolver names) {
    names
        .getResolver(loop)
        .resolveAll(host)
        .addListener((Future<List<InetSocketAddress>> found) -> loop.execute(() -> found(found)));
  }

  private void found(Future<List<InetSocketAddress>> found) {
    if (!found.isSuccess()) {
      outcome.failed(found.cause());
      return;
    }
    left.addAll(found.getNow());
    tryNext(new UnknownHostException("the host has no address"));
  }

  /** What failed before is the result if there is nothing left to try. */
  private void tryNext(Throwable before) {
    InetSocketAddress next = left.poll();
    long millis = (deadline - System.nanoTime()) / 1_000_000 / (left.size() + 1);
    if (next == null || millis <= 0) {
      outcome.failed(before);
    } else {
      tell(loop, attempt(next, millis), outcome, left.isEmpty() ? outcome : new More());
    }
  }

  private ChannelFuture attempt(InetSocketAddress address, long millis) {
    Bootstrap own = tcp.clone().option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) millis);
    return own.connect(address);
  }

  /** Tries the other addresses if one fails. */
  private final class More implements Dialer.Outcome {
    @Override
    public void connected(Channel channel) {
      outcome.connected(channel);
    }

    @Override
    public void failed(Throwable cause) {
      tryNext(cause);
    }
  }

  /** Tells one of the attempt, and the other what becomes of it, on the loop. */
  static void tell(
      EventLoop loop, ChannelFuture attempt, Dialer.Outcome caller, Dialer.Outcome outcome) {
    if (!attempt.isDone()) {
      caller.trying(attempt.channel());
    }
    attempt.addListener(
        (ChannelFuture done) -> {
          if (done.isSuccess()) {
            outcome.connected(done.channel());
          } else {
            // Without a channel (no file descriptor is left) the future is not the loop's.
            loop.execute(() -> outcome.failed(done.cause()));
          }
        });
  }
}
