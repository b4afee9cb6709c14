// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.TlsConfig;
import io.stoa.operation.event.ClientEvent;
import io.stoa.proxy.Extensions;
import io.stoa.proxy.Proxy;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.Peers;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.server.ServerAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** TLS that ends at the directory. */
class TlsPassthroughIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String LDAPS = "ldaps://127.0.0.1:0";
  private static final String SCRAM_PLUS = "SCRAM-SHA-256-PLUS";
  private static final int MUCH = 20_000_000;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Slapd slapd;
  private static Certificates certificates;

  private final Peers peers = new Peers();

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    slapd = Slapd.start(People.slapd(400).tls(certificates, certificates.server()));
  }

  @AfterAll
  static void end() {
    slapd.close();
    certificates.close();
  }

  /** Behind a plain listener, on which the proxy can be ready, there is one that passes through. */
  private static ProxySetup setup(int tlsPort) {
    return ProxySetup.beforeUrls(slapd.url(), "ldaps://127.0.0.1:" + tlsPort)
        .tls(null, "127.0.0.1:0", "passthrough://127.0.0.1:0");
  }

  private RunningProxy start(ProxySetup setup) {
    return RunningProxy.start(setup.config(), peers.extensions());
  }

  private static InetSocketAddress door(RunningProxy proxy) {
    return proxy.proxy().addresses().get(1);
  }

  @Test
  void theClientSeesTheDirectoryItself() {
    try (RunningProxy proxy = start(setup(slapd.tlsPort()))) {
      assertThat(certificates.shownAt(door(proxy)))
          .isEqualTo(
              certificates.shownAt(
                  new InetSocketAddress(InetAddress.getLoopbackAddress(), slapd.tlsPort())));
      LdapCommand.Output output =
          LdapCommand.run(
              certificates.ca(),
              "ldapsearch",
              "-x",
              "-H",
              "ldaps://127.0.0.1:" + door(proxy).getPort(),
              "-D",
              People.dn(1),
              "-w",
              People.PASSWORD,
              "-b",
              People.SUFFIX,
              "(uid=*)",
              "cn");
      assertThat(output.text()).contains("numEntries: 400");
      assertThat(peers.counters().events().get(ClientEvent.PASSED_THROUGH)).isEqualTo(2);
      Await.until("both have gone", () -> proxy.status().connections() == 0);
    }
  }

  @Test
  void noConnectionIsPassedToADrainedServer() throws IOException {
    ServerAddress drained = ServerAddress.parse("ldaps://127.0.0.1:" + slapd.tlsPort());
    try (RunningProxy proxy = start(setup(slapd.tlsPort()))) {
      proxy
          .proxy()
          .applyServers(List.of(new ServerSpec(drained, false, 1, 1, List.of(), true, "")));
      try (Socket socket = new Socket(door(proxy).getAddress(), door(proxy).getPort())) {
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.getOutputStream().write(new byte[] {22, 3, 1});
        assertThat(socket.getInputStream().read()).isNegative();
      }
    }
  }

  @Test
  void aClientBindsByItsCertificate() {
    Certificates.Pair app = certificates.client("cn=app");
    try (RunningProxy proxy = start(setup(slapd.tlsPort()))) {
      LdapCommand.Output output =
          whoAmI(
              door(proxy),
              "LDAPTLS_CERT=" + app.certificate(),
              "LDAPTLS_KEY=" + app.key(),
              "EXTERNAL");
      assertThat(output.text()).contains("dn:cn=app");
      assertThat(output.code()).isZero();
    }
  }

  /** What is bound to the server's certificate works only where that is the one that is seen. */
  @Test
  void aClientBindsToTheChannel() {
    SlapdConfig bound =
        People.saslSlapd(2)
            .tls(certificates, certificates.server())
            .global("sasl-cbinding tls-endpoint");
    Certificates.Pair other = certificates.server();
    TlsConfig own = TlsConfig.DEFAULTS.identity(other.certificate(), other.key());
    try (Slapd directory = Slapd.start(bound);
        RunningProxy proxy = start(setup(directory.tlsPort()));
        RunningProxy ending =
            start(ProxySetup.before(directory.port()).tls(own, "127.0.0.1:0", LDAPS))) {
      assertThat(scramPlus(door(proxy)).text()).contains("dn:" + People.dn(1));
      assertThat(scramPlus(ending.proxy().addresses().get(1)).code()).isNotZero();
    }
  }

  private static LdapCommand.Output scramPlus(InetSocketAddress door) {
    return whoAmI(door, "LDAPSASL_CBINDING=tls-endpoint", "LDAPSASL_NOCANON=on", SCRAM_PLUS);
  }

  private static LdapCommand.Output whoAmI(
      InetSocketAddress door, String variable, String another, String mechanism) {
    return LdapCommand.run(
        certificates.ca(),
        "env",
        variable,
        another,
        "ldapwhoami",
        "-Q",
        "-Y",
        mechanism,
        "-U",
        People.user(1),
        "-w",
        People.PASSWORD,
        "-H",
        "ldaps://127.0.0.1:" + door.getPort());
  }

  /** A server of octets: sends much, and expects much, and ends its half first or last. */
  private static final class Echo implements AutoCloseable {
    private final ServerSocket listener;
    private final byte[] farewell;

    Echo(byte... farewell) throws IOException {
      this.farewell = farewell;
      listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
      Thread thread = new Thread(this::serve, "echo");
      thread.setDaemon(true);
      thread.start();
    }

    private void serve() {
      try {
        while (true) {
          Socket socket = listener.accept();
          Thread thread = new Thread(() -> echo(socket), "echo-connection");
          thread.setDaemon(true);
          thread.start();
        }
      } catch (IOException closed) {
        return;
      }
    }

    private void echo(Socket socket) {
      try (socket) {
        socket.getInputStream().transferTo(socket.getOutputStream());
        socket.getOutputStream().write(farewell);
      } catch (IOException gone) {
        return;
      }
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  /** The client reads nothing before it has sent all: both directions fill up, nothing is lost. */
  @Test
  void octetsArriveInOrderAndHalfClosesArePassedOn() throws Exception {
    byte[] much = new byte[MUCH];
    new Random(7).nextBytes(much);
    try (Echo echo = new Echo();
        RunningProxy proxy = start(setup(echo.listener.getLocalPort()));
        Socket socket = new Socket()) {
      socket.connect(door(proxy));
      socket.setSoTimeout((int) PATIENCE.toMillis());
      CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> send(socket, much));
      InputStream in = socket.getInputStream();
      assertThat(Arrays.mismatch(in.readNBytes(MUCH), much)).isEqualTo(-1);
      sent.join();
      assertThat(in.read()).isEqualTo(-1);
    }
  }

  /** More than the system takes at once, when nothing more can come from the client. */
  @Test
  void aHalfClosedClientGetsAWholeLongAnswer() throws Exception {
    byte[] much = new byte[MUCH];
    new Random(8).nextBytes(much);
    try (Echo echo = new Echo(much);
        RunningProxy proxy = start(setup(echo.listener.getLocalPort()));
        Socket socket = new Socket()) {
      socket.setReceiveBufferSize(4096);
      socket.connect(door(proxy));
      socket.setSoTimeout((int) PATIENCE.toMillis());
      socket.shutdownOutput();
      assertThat(Arrays.mismatch(socket.getInputStream().readNBytes(MUCH), much)).isEqualTo(-1);
    }
  }

  private static void send(Socket socket, byte[] octets) {
    try {
      OutputStream out = socket.getOutputStream();
      out.write(octets);
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aClientIsDisconnectedIfTheServerIsDown() throws Exception {
    Echo gone = new Echo();
    gone.close();
    try (RunningProxy proxy = start(setup(gone.listener.getLocalPort()));
        RawLdapClient client = RawLdapClient.connect(door(proxy))) {
      client.sendOctets(new byte[] {22});
      assertThat(client.closesWithin(PATIENCE)).isTrue();
    }
  }

  @Test
  void aSilentClientIsDisconnected() throws Exception {
    try (Echo echo = new Echo();
        RunningProxy proxy =
            start(
                setup(echo.listener.getLocalPort())
                    .limit("requestTimeout", Duration.ofSeconds(1)));
        RawLdapClient client = RawLdapClient.connect(door(proxy))) {
      assertThat(client.closesWithin(PATIENCE)).isTrue();
    }
  }

  @Test
  void aClientThatNeverReadsIsDisconnected() throws Exception {
    try (Echo echo = new Echo();
        RunningProxy proxy =
            start(
                setup(echo.listener.getLocalPort()).limit("writeTimeout", Duration.ofSeconds(1)));
        Socket socket = new Socket()) {
      socket.connect(door(proxy));
      // More than all the buffers on the way hold.
      byte[] octets = new byte[1 << 20];
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 1000; i++) {
                  socket.getOutputStream().write(octets);
                }
              })
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void silentConnectionsEndWithTheIdleTimeout() throws Exception {
    try (Echo echo = new Echo();
        RunningProxy proxy =
            start(setup(echo.listener.getLocalPort()).limit("idleTimeout", Duration.ofSeconds(1)));
        RawLdapClient client = RawLdapClient.connect(door(proxy))) {
      assertThat(client.closesWithin(PATIENCE)).isTrue();
    }
  }

  @Test
  void theProxyHeaderIsNotForwarded() throws Exception {
    try (Echo echo = new Echo();
        RunningProxy proxy =
            start(
                setup(echo.listener.getLocalPort())
                    .access("proxyProtocol", List.of(Network.parse("127.0.0.1"))));
        Socket socket = new Socket()) {
      socket.connect(door(proxy));
      socket.setSoTimeout((int) PATIENCE.toMillis());
      String header = "PROXY TCP4 192.0.2.7 192.0.2.1 56324 636\r\n";
      socket.getOutputStream().write((header + "hello").getBytes(StandardCharsets.US_ASCII));
      assertThat(socket.getInputStream().readNBytes(5))
          .isEqualTo("hello".getBytes(StandardCharsets.US_ASCII));
    }
  }

  @Test
  void theServerGetsTheClientsProxyHeader() throws Exception {
    try (Echo echo = new Echo()) {
      ProxySetup setup = setup(echo.listener.getLocalPort());
      UpstreamTransport transport =
          Records.with(setup.upstream().transport(), "proxyProtocol", true);
      ProxySetup telling =
          setup
              .upstream("transport", transport)
              .access("proxyProtocol", List.of(Network.parse("127.0.0.1")));
      try (Proxy proxy = Proxy.open(telling.config(), Extensions.none());
          Socket socket = new Socket()) {
        proxy.accept();
        socket.connect(proxy.addresses().get(1));
        socket.setSoTimeout((int) PATIENCE.toMillis());
        String header = "PROXY TCP4 192.0.2.7 192.0.2.1 56324 636\r\n";
        socket.getOutputStream().write((header + "hello").getBytes(StandardCharsets.US_ASCII));
        byte[] told = socket.getInputStream().readNBytes(16 + 12);
        assertThat(HexFormat.of().formatHex(told))
            .startsWith("0d0a0d0a000d0a515549540a2111000cc0000207");
        assertThat(socket.getInputStream().readNBytes(5))
            .isEqualTo("hello".getBytes(StandardCharsets.US_ASCII));
      }
    }
  }

  @Test
  void passthroughConnectionsCountTowardsTheLimit() {
    try (RunningProxy proxy = start(setup(slapd.tlsPort()).limit("connections", 1));
        RawLdapClient first = RawLdapClient.connect(door(proxy))) {
      Await.until("it is there", () -> proxy.status().connections() == 1);
      try (RawLdapClient second = RawLdapClient.connect(door(proxy))) {
        assertThat(second.closesWithin(PATIENCE)).isTrue();
      }
      first.handshake(certificates.clientContext());
      assertThat(first.call(People.find(1))).hasSize(2);
    }
  }

  @Test
  void passthroughNeedsAServerThatSpeaksTls() {
    ListenerConfig listener = new ListenerConfig(Protocol.PASSTHROUGH, "127.0.0.1", 0);
    assertThatThrownBy(() -> ProxySetup.before(389).tls(null, listener.toString()).config())
        .hasMessageContaining("requires an upstream of the form ldaps://HOST:PORT");
  }
}
