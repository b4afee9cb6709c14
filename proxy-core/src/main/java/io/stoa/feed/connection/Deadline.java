// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Until when what blocks a thread must be done: the timeout of a socket bounds the wait for the
 * next octets, so that a server that sends one now and then would hold up its client for ever. When
 * it is over, the sockets are closed. Thread-safe.
 */
final class Deadline implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Deadline.class);

  private final Duration time;
  private final List<Socket> sockets = new ArrayList<>();
  private final ScheduledFuture<?> end;
  private boolean over;

  /** It begins now. */
  Deadline(Duration time) {
    this.time = time;
    this.end =
        GlobalEventExecutor.INSTANCE.schedule(this::expire, time.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Holds for one more socket. */
  synchronized void watch(Socket socket) {
    sockets.add(socket);
    if (over) {
      expire();
    }
  }

  /** The socket that was made last, over all others. */
  synchronized Socket last() {
    return sockets.get(sockets.size() - 1);
  }

  /** Says that it is over, if it is; else what it is told. */
  synchronized String why(String other) {
    return over ? "it has not done its part within " + time.toMillis() + " ms" : other;
  }

  /** On a thread of its own: the end of TLS may wait for the one that is to be freed. */
  private synchronized void expire() {
    over = true;
    List<Socket> all = List.copyOf(sockets);
    Thread thread = new Thread(() -> all.forEach(Deadline::end), "stoa-feed-deadline");
    thread.setDaemon(true);
    thread.start();
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.debug("a socket cannot be closed", e);
    }
  }

  /** It was done in time. */
  @Override
  public void close() {
    end.cancel(false);
  }
}
