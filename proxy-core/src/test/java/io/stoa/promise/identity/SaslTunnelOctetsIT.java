// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Tlv;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What passes in a tunnel, octet for octet, before a server that sends back what it gets. */
class SaslTunnelOctetsIT {
  private static final int MANY = 24 * 1024 * 1024;
  private static final int BUFFER = 64 * 1024;
  private static final byte[] GOODBYE = {'b', 'y', 'e'};

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private ServerSocket listener;
  private RunningProxy proxy;

  @BeforeEach
  void start() throws IOException {
    listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
    threads.execute(this::accept);
    proxy = ProxySetup.before(listener.getLocalPort()).startWithoutUpstream();
    Await.until("the server is seen", () -> proxy.status().ready());
  }

  @AfterEach
  void stop() throws IOException {
    try {
      proxy.close();
    } finally {
      listener.close();
      threads.shutdownNow();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        threads.execute(() -> serve(socket));
      }
    } catch (IOException closed) {
      return; // stop() closes the socket under accept()
    }
  }

  private static void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      for (byte[] octets = Tlv.read(in); octets.length > 0; octets = Tlv.read(in)) {
        RawMessage request = RawMessage.parse(octets);
        if (request.opTag() == Received.UNBIND) {
          return;
        }
        socket
            .getOutputStream()
            .write(Responses.result(request.opTag(), 0).encode(request.messageId()));
        if (request.opTag() == Received.BIND) {
          echo(socket, in);
          return;
        }
      }
    } catch (IOException | AssertionError gone) {
      return; // with the proxy
    }
  }

  private static void echo(Socket socket, InputStream in) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      socket.getOutputStream().write(buffer, 0, read);
    }
    socket.getOutputStream().write(GOODBYE);
  }

  /** The client does not read before all is sent, and then sends no more while it still reads. */
  @Test
  void octetsPassBothWaysUntilBothSidesHaveEnded() throws Exception {
    byte[] octets = new byte[MANY];
    new Random(1).nextBytes(octets);
    octets[0] = 0;
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind("X-TEST", "token"))).isZero();
      Future<?> sent =
          threads.submit(
              () -> {
                client.sendOctets(octets);
                client.halfClose();
              });
      assertThat(Arrays.mismatch(client.octets(MANY), octets)).isNegative();
      sent.get();
      assertThat(client.octets(GOODBYE.length)).isEqualTo(GOODBYE);
      assertThat(client.next()).isEmpty();
    }
    Await.until("nothing is left", () -> proxy.status().connections() == 0);
  }

  @Test
  void aTunnelIsClosedWithItsClient() {
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind("X-TEST", "token"))).isZero();
      client.sendOctets(new byte[] {0, 0, 0, 1, 'x'});
      assertThat(client.octets(1 + Integer.BYTES)).hasSize(1 + Integer.BYTES);
      int before = proxy.status().backends().get(0).connections();
      client.reset();
      Await.until(
          "the server's side is closed",
          () -> proxy.status().backends().get(0).connections() < before);
    }
  }
}
