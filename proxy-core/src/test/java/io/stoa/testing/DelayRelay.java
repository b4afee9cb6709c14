// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Passes octets from a free port of 127.0.0.1 to another one, and back: those that come back only
 * after a while, in their order, and not at all if they are not wanted. Put between two directory
 * servers, it lets the one that asks lag behind the other. Thread-safe.
 */
public final class DelayRelay implements AutoCloseable {
  private static final int BUFFER = 1 << 16;
  private static final byte[] END = {};

  private final ServerSocket listener;
  private final int port;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile long delayNanos;
  private volatile @Nullable String unwanted;

  private DelayRelay(ServerSocket listener, int port) {
    this.listener = listener;
    this.port = port;
  }

  /** To a port of 127.0.0.1, at first without delay. */
  public static DelayRelay to(int port) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      DelayRelay relay = new DelayRelay(socket, port);
      relay.run(relay::accept);
      return relay;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Piece(byte[] octets, long arrived) {}

  public int port() {
    return listener.getLocalPort();
  }

  /** From now on, what comes back takes so much longer; what is under way, too. */
  public void delay(Duration delay) {
    delayNanos = delay.toNanos();
  }

  /**
   * From now on, what comes back at once with this text is lost, and nothing else; null for none.
   */
  public void swallow(@Nullable String text) {
    unwanted = text;
  }

  private boolean isWanted(byte[] octets, int length) {
    String text = unwanted;
    return text == null || !new String(octets, 0, length, ISO_8859_1).contains(text);
  }

  /** Ends the connections that there are: both sides notice. */
  public void cut() {
    Set.copyOf(open).forEach(this::close);
  }

  private void run(Runnable body) {
    Thread thread = new Thread(body, "delay");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      acceptOne();
    }
  }

  private void acceptOne() {
    try {
      pass(listener.accept());
    } catch (IOException gone) {
      // This relay was closed, or who is asked is not there: who asks comes again.
      return;
    }
  }

  private void pass(Socket here) throws IOException {
    open.add(here);
    Socket there;
    try {
      there = new Socket(InetAddress.getLoopbackAddress(), port);
    } catch (IOException e) {
      close(here);
      throw e;
    }
    open.add(there);
    here.setTcpNoDelay(true);
    there.setTcpNoDelay(true);
    BlockingQueue<Piece> back = new LinkedBlockingQueue<>();
    run(() -> copy(here, there));
    run(() -> collect(there, back));
    run(() -> deliver(back, here, there));
  }

  private void copy(Socket from, Socket to) {
    byte[] octets = new byte[BUFFER];
    try {
      for (int n = from.getInputStream().read(octets); n >= 0; ) {
        to.getOutputStream().write(octets, 0, n);
        n = from.getInputStream().read(octets);
      }
    } catch (IOException gone) {
      // The other direction is of no use either.
    } finally {
      close(from);
      close(to);
    }
  }

  private void collect(Socket from, BlockingQueue<Piece> pieces) {
    byte[] octets = new byte[BUFFER];
    try {
      for (int n = from.getInputStream().read(octets); n >= 0; ) {
        if (isWanted(octets, n)) {
          pieces.add(new Piece(Arrays.copyOf(octets, n), System.nanoTime()));
        }
        n = from.getInputStream().read(octets);
      }
    } catch (IOException gone) {
      // What has come is still delivered.
    } finally {
      pieces.add(new Piece(END, System.nanoTime()));
    }
  }

  private void deliver(BlockingQueue<Piece> pieces, Socket to, Socket from) {
    try {
      for (Piece piece = pieces.take(); piece.octets != END; piece = pieces.take()) {
        await(piece.arrived);
        to.getOutputStream().write(piece.octets);
      }
    } catch (IOException gone) {
      // The other direction is of no use either.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      close(from);
      close(to);
    }
  }

  /** The delay may be changed while a piece waits. */
  private void await(long arrived) throws InterruptedException {
    long left = arrived + delayNanos - System.nanoTime();
    while (left > 0) {
      TimeUnit.NANOSECONDS.sleep(Math.min(left, TimeUnit.MILLISECONDS.toNanos(20)));
      left = arrived + delayNanos - System.nanoTime();
    }
  }

  private void close(Socket socket) {
    open.remove(socket);
    try {
      socket.close();
    } catch (IOException gone) {
      // There is nothing left to close.
      return;
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    cut();
  }
}
