// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * A port of 127.0.0.1 for TLS that asks for a certificate, from which connections go on in plain:
 * it gives a {@link ScriptedUpstream} TLS. Thread-safe.
 */
public final class TlsRelay implements AutoCloseable {
  private final int target;
  private final ServerSocket listener;

  private TlsRelay(SSLContext context, int target) throws IOException {
    this.target = target;
    SSLServerSocket socket =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 0, InetAddress.getLoopbackAddress());
    socket.setWantClientAuth(true);
    this.listener = socket;
    start(this::accept);
  }

  /** To a port of this machine, with the certificate of the context. */
  public static TlsRelay to(int port, SSLContext context) {
    try {
      return new TlsRelay(context, port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public String url() {
    return "ldaps://127.0.0.1:" + listener.getLocalPort();
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body, "tls-relay");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (!listener.isClosed()) {
        Socket near = listener.accept();
        Socket far = new Socket();
        far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        start(() -> pump(near, far));
        start(() -> pump(far, near));
      }
    } catch (IOException closed) {
      // close() ends accept().
      return;
    }
  }

  /** One direction; when it ends both do. */
  private static void pump(Socket from, Socket to) {
    try (from;
        to) {
      from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException gone) {
      // So has the other end, or will.
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
  }
}
