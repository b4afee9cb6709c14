// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The way to a real directory server, with the faults that a network and a server can have: it can
 * be cut, so that nothing comes through and nobody is told; it can be slow; and requests can be
 * answered busy before they reach the server. Who listens hears what the server is really sent, and
 * what it really sends. Three threads for each connection; thread-safe.
 */
public final class FaultInjectingProxy implements AutoCloseable {
  private static final int BUSY = 51;
  private static final int BUFFER = 1 << 16;
  private static final Set<Integer> UNANSWERED = Set.of(Received.UNBIND, Received.ABANDON);

  private final int server;
  private final Observer ear;
  private final ServerSocket listener;
  private final AtomicInteger connections = new AtomicInteger();
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Object mended = new Object();
  private volatile boolean cut;
  private volatile boolean busy;
  private volatile Duration delay = Duration.ZERO;

  private FaultInjectingProxy(int server, Observer ear) {
    this.server = server;
    this.ear = ear;
    try {
      this.listener = new ServerSocket(0, BUFFER, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  /** Hears nothing. */
  private static final class Deaf implements Observer {
    @Override
    public void request(int connection, RawMessage message) {}

    @Override
    public void response(int connection, RawMessage message) {}
  }

  /**
   * Hears all messages of a connection: a request before the server has it, a response before
   * anybody else has it. It is called by several threads.
   */
  public interface Observer {
    void request(int connection, RawMessage message);

    void response(int connection, RawMessage message);

    /** Another one hears the same, after this. */
    default Observer and(Observer other) {
      Observer self = this;
      return new Observer() {
        @Override
        public void request(int connection, RawMessage message) {
          self.request(connection, message);
          other.request(connection, message);
        }

        @Override
        public void response(int connection, RawMessage message) {
          self.response(connection, message);
          other.response(connection, message);
        }
      };
    }
  }

  /** The way to a server that listens on this port of 127.0.0.1. */
  public static FaultInjectingProxy to(int port) {
    return to(port, new Deaf());
  }

  /** The same, and somebody listens. */
  public static FaultInjectingProxy to(int port, Observer ear) {
    return new FaultInjectingProxy(port, ear);
  }

  /** Where it begins. */
  public int port() {
    return listener.getLocalPort();
  }

  /** From now on no octet comes through, in any direction; connections stay as they are. */
  public void cut() {
    cut = true;
  }

  /** From now on what the server sends arrives so much later. */
  public void slow(Duration later) {
    delay = later;
  }

  /** From now on all requests are answered busy. */
  public void busy() {
    busy = true;
  }

  /** Everything is as it should be again; what was held up arrives. */
  public void mend() {
    synchronized (mended) {
      cut = false;
      busy = false;
      delay = Duration.ZERO;
      mended.notifyAll();
    }
  }

  private static Thread thread(Runnable body) {
    Thread thread = new Thread(body, "faulty-way");
    thread.setDaemon(true);
    return thread;
  }

  private static void start(Runnable body) {
    thread(body).start();
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket client = listener.accept();
        open.add(client);
        start(() -> connect(client));
      }
    } catch (IOException closed) {
      // close() closes the socket under accept().
      return;
    }
  }

  private void connect(Socket client) {
    Socket far = new Socket();
    try {
      awaitMended();
      far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server));
      open.add(far);
      client.setTcpNoDelay(true);
      far.setTcpNoDelay(true);
    } catch (IOException gone) {
      end(client, far);
      return;
    }
    int number = connections.incrementAndGet();
    start(() -> back(number, far, client));
    requests(number, client, far);
  }

  private void requests(int number, Socket client, Socket far) {
    try {
      InputStream in = new BufferedInputStream(client.getInputStream(), BUFFER);
      OutputStream out = far.getOutputStream();
      for (byte[] octets = Tlv.read(in); octets.length > 0; octets = Tlv.read(in)) {
        awaitMended();
        RawMessage request = RawMessage.parse(octets);
        if (!refused(request, client)) {
          ear.request(number, request);
          out.write(octets);
        }
      }
    } catch (IOException gone) {
      // The other direction is of no use either.
    } finally {
      end(client, far);
    }
  }

  private boolean refused(RawMessage request, Socket client) throws IOException {
    boolean refuse = busy && !UNANSWERED.contains(request.opTag());
    if (refuse) {
      write(client, Responses.result(request.opTag(), BUSY).encode(request.messageId()));
    }
    return refuse;
  }

  /**
   * Whole messages, so that those of this class do not come in between; each as late as others, and
   * in their order, also when the way becomes faster.
   */
  private void back(int number, Socket far, Socket client) {
    ScheduledExecutorService later =
        Executors.newSingleThreadScheduledExecutor(FaultInjectingProxy::thread);
    Queue<Runnable> order = new ConcurrentLinkedQueue<>();
    try {
      InputStream in = new BufferedInputStream(far.getInputStream(), BUFFER);
      for (byte[] octets = Tlv.read(in); octets.length > 0; octets = Tlv.read(in)) {
        byte[] message = octets;
        ear.response(number, RawMessage.parse(message));
        order.add(() -> deliver(message, client));
        later.schedule(() -> order.remove().run(), delay.toNanos(), TimeUnit.NANOSECONDS);
      }
    } catch (IOException gone) {
      // The other direction is of no use either.
    } finally {
      order.add(() -> end(client, far));
      later.schedule(() -> order.remove().run(), delay.toNanos(), TimeUnit.NANOSECONDS);
      later.shutdown();
    }
  }

  private void deliver(byte[] message, Socket client) {
    awaitMended();
    try {
      write(client, message);
    } catch (IOException gone) {
      end(client);
    }
  }

  private static void write(Socket to, byte[] octets) throws IOException {
    synchronized (to) {
      to.getOutputStream().write(octets);
    }
  }

  private void awaitMended() {
    synchronized (mended) {
      try {
        while (cut) {
          mended.wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void end(Socket... both) {
    for (Socket socket : both) {
      open.remove(socket);
      close(socket);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException gone) {
      // There is nothing left to close.
      return;
    }
  }

  @Override
  public void close() {
    mend();
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Set.copyOf(open).forEach(this::end);
  }
}
