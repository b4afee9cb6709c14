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
 * Deadline for blocking socket operations. Closes the watched sockets when it expires.
 *
 * <p>A socket timeout bounds only the wait for the next octet. A server that sends one octet now
 * and then could otherwise block its client for ever.
 *
 * <p>Threading: thread-safe.
 */
final class Deadline implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Deadline.class);

  private final Duration time;
  private final List<Socket> sockets = new ArrayList<>();
  private final ScheduledFuture<?> end;
  private boolean over;

  /** Starts the deadline. */
  Deadline(Duration time) {
    this.time = time;
    this.end =
        GlobalEventExecutor.INSTANCE.schedule(this::expire, time.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Adds a socket to close; closes it at once if the deadline has expired. */
  synchronized void watch(Socket socket) {
    sockets.add(socket);
    if (over) {
      expire();
    }
  }

  /** Returns the socket that was created last: the outermost one. */
  synchronized Socket last() {
    return sockets.get(sockets.size() - 1);
  }

  /** Returns a message that the deadline has expired, if so; otherwise the given message. */
  synchronized String explain(String other) {
    return over ? "timeout: the connection was not ready within " + time.toMillis() + " ms" : other;
  }

  /** Closes the sockets on a thread of its own: closing TLS may wait for the blocked thread. */
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

  /** Cancels the deadline. */
  @Override
  public void close() {
    end.cancel(false);
  }
}
