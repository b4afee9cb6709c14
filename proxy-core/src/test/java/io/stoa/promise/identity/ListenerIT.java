// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.peer.LocalUser;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.TlsConfig;
import io.stoa.operation.event.ClientTimeout;
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
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.Tlv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways to Stoa: those of OpenLDAP's own commands, local sockets, load balancers. */
class ListenerIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String HEADER_V1 = "PROXY TCP4 192.0.2.7 192.0.2.1 56324 389\r\n";

  /** PROXY, TCP over IPv6, 2001:db8::7 port 56324, with one addition of three octets. */
  private static final String HEADER_V2 =
      "0d0a0d0a000d0a515549540a 21 21 002a 20010db8000000000000000000000007"
          + " 20010db8000000000000000000000001 dc04 0185 04 0003 616263";

  /** LOCAL: the load balancer asks for itself. */
  private static final String HEADER_LOCAL = "0d0a0d0a000d0a515549540a 20 00 0000";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Slapd slapd;
  private static Certificates certificates;
  private static TlsConfig own;

  private final Peers peers = new Peers();

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    Certificates.Pair server = certificates.server();
    own = TlsConfig.DEFAULTS.identity(server.certificate(), server.key());
    slapd = Slapd.start(People.slapd(10));
  }

  @AfterAll
  static void end() {
    slapd.close();
    certificates.close();
  }

  private RunningProxy start(ProxySetup setup) {
    return RunningProxy.start(setup.config(), peers.extensions());
  }

  // The commands of OpenLDAP

  @Test
  void openLdapCommandsConnectToEveryListener() {
    Path socket = certificates.directory().resolve("ldapi");
    String ldapi =
        new ListenerConfig(ListenerConfig.Protocol.LDAPI, socket.toString(), 0).toString();
    ProxySetup setup =
        ProxySetup.before(slapd.port()).tls(own, "127.0.0.1:0", "ldaps://127.0.0.1:0", ldapi);
    try (RunningProxy proxy = start(setup)) {
      List<ListenerConfig> doors = proxy.proxy().listeners();
      String plain = "ldap://127.0.0.1:" + doors.get(0).port();
      String ldaps = "ldaps://127.0.0.1:" + doors.get(1).port();
      assertFound(false, "-H", plain);
      assertFound(true, "-ZZ", "-H", plain);
      assertFound(true, "-H", ldaps);
      assertFound(false, "-H", ldapi);
      assertThat(peers.last().user()).extracting(LocalUser::uid).isEqualTo(uid(socket));
      assertThat(peers.last().address()).isNull();
    }
    assertThat(socket).doesNotExist();
  }

  private void assertFound(boolean tls, String... how) {
    List<String> command = new ArrayList<>(List.of("ldapsearch", "-x", "-LLL"));
    command.addAll(List.of(how));
    command.addAll(List.of("-D", People.dn(1), "-w", People.PASSWORD, "-b", People.SUFFIX));
    command.addAll(List.of("(uid=user.1)", "description"));
    LdapCommand.Output output = LdapCommand.run(certificates.ca(), command.toArray(String[]::new));
    assertThat(output.text()).contains("description: " + People.dn(1));
    assertThat(output.code()).isZero();
    assertThat(peers.last().tls()).isEqualTo(tls);
  }

  private static Object uid(Path path) {
    try {
      return Files.getAttribute(path, "unix:uid");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aCertificateForAnotherNameIsRefusedByTheClient() {
    Certificates.Pair other = certificates.server("elsewhere.example.com");
    TlsConfig wrong = TlsConfig.DEFAULTS.identity(other.certificate(), other.key());
    try (RunningProxy proxy =
        start(ProxySetup.before(slapd.port()).tls(wrong, "ldaps://127.0.0.1:0"))) {
      String url = "ldaps://127.0.0.1:" + proxy.address().getPort();
      LdapCommand.Output output =
          LdapCommand.run(certificates.ca(), "ldapsearch", "-x", "-H", url, "-s", "base");
      assertThat(output.code()).isNotZero();
    }
  }

  // Local sockets

  private ProxySetup local(Path socket) {
    return ProxySetup.before(slapd.port())
        .tls(null, "127.0.0.1:0", "ldapi://" + socket)
        .access("requireTls", true)
        .access("socketMode", 0600);
  }

  @Test
  void aSocketFileHasItsPermissionsAndIsRemoved() throws Exception {
    Path socket = certificates.directory().resolve("mode");
    try (RunningProxy proxy = start(local(socket))) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
          .isEqualTo("rw-------");
      assertThat(proxy.address().getPort()).isPositive();
    }
    assertThat(socket).doesNotExist();
  }

  /** Where TLS is required, a local socket does as well. */
  @Test
  void aPasswordMayComeByALocalSocket() {
    Path socket = certificates.directory().resolve("secret");
    try (RunningProxy proxy = start(local(socket));
        RawLdapClient plain = proxy.client()) {
      assertThat(plain.code(Requests.bind(People.dn(1), People.PASSWORD))).isEqualTo(13);
      String url = proxy.proxy().listeners().get(1).toString();
      LdapCommand.Output output =
          LdapCommand.run(
              certificates.ca(),
              "ldapwhoami",
              "-x",
              "-H",
              url,
              "-D",
              People.dn(1),
              "-w",
              People.PASSWORD);
      assertThat(output.text()).contains("dn:" + People.dn(1));
    }
  }

  @Test
  void theSocketFileOfADeadProcessIsReplaced() throws Exception {
    Path socket = certificates.directory().resolve("stale");
    ServerSocketChannel dead = listening(socket);
    dead.close();
    assertThat(socket).exists();
    try (RunningProxy proxy = start(local(socket))) {
      assertThat(proxy.proxy().listeners()).hasSize(2);
    }
  }

  @Test
  void theSocketOfALivingProcessAndOtherFilesAreLeftAlone() throws Exception {
    Path socket = certificates.directory().resolve("taken");
    try (ServerSocketChannel alive = listening(socket)) {
      assertThatThrownBy(() -> Proxy.open(local(socket).config(), Extensions.none()))
          .hasMessageContaining("another process is listening on it");
      assertThat(alive.isOpen()).isTrue();
    }
    Path file = certificates.directory().resolve("file");
    Files.writeString(file, "precious");
    assertThatThrownBy(() -> Proxy.open(local(file).config(), Extensions.none()))
        .hasMessageContaining("is not a socket");
    assertThat(file).hasContent("precious");
  }

  private static ServerSocketChannel listening(Path socket) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    return channel.bind(UnixDomainSocketAddress.of(socket));
  }

  // Load balancers

  private RunningProxy behindLoadBalancer(String... listeners) {
    return start(
        ProxySetup.before(slapd.port())
            .limit("requestTimeout", Duration.ofSeconds(2))
            .tls(own, listeners)
            .access("proxyProtocol", List.of(Network.parse("127.0.0.0/8"))));
  }

  private static byte[] octets(String header) {
    return header.startsWith("PROXY")
        ? header.getBytes(StandardCharsets.US_ASCII)
        : Tlv.hex(header.replace(" ", "").replaceAll("(..)", "$1 ").trim());
  }

  @ParameterizedTest
  @ValueSource(strings = {HEADER_V1, HEADER_V2})
  void theProxyHeaderNamesTheClientAddress(String header) {
    try (RunningProxy proxy = behindLoadBalancer("127.0.0.1:0");
        RawLdapClient together = proxy.client();
        RawLdapClient torn = proxy.client()) {
      together.sendOctets(Tlv.concat(octets(header), People.find(1).encode(1)));
      assertThat(together.await(1)).hasSize(2);
      String expected = header.startsWith("PROXY") ? "192.0.2.7" : "2001:db8:0:0:0:0:0:7";
      assertThat(peers.last().address().getHostAddress()).isEqualTo(expected);
      torn.sendTorn(octets(header), 1);
      assertThat(torn.call(People.find(1))).hasSize(2);
      assertThat(peers.last().address().getHostAddress()).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {HEADER_LOCAL, "PROXY UNKNOWN\r\n"})
  void theSocketAddressCountsIfTheHeaderNamesNone(String header) {
    try (RunningProxy proxy = behindLoadBalancer("127.0.0.1:0");
        RawLdapClient client = proxy.client()) {
      client.sendOctets(octets(header));
      assertThat(client.call(People.find(1))).hasSize(2);
      assertThat(peers.last().address().isLoopbackAddress()).isTrue();
    }
  }

  @Test
  void theHeaderComesBeforeTls() {
    try (RunningProxy proxy = behindLoadBalancer("ldaps://127.0.0.1:0");
        RawLdapClient client = proxy.client()) {
      client.sendOctets(octets(HEADER_V2));
      client.handshake(certificates.clientContext());
      assertThat(client.call(People.find(1))).hasSize(2);
      assertThat(peers.last().tls()).isTrue();
      assertThat(peers.last().address().getHostAddress()).isEqualTo("2001:db8:0:0:0:0:0:7");
    }
  }

  @Test
  void aConnectionWithoutAProxyHeaderIsClosed() {
    try (RunningProxy proxy = behindLoadBalancer("127.0.0.1:0");
        RawLdapClient none = proxy.client();
        RawLdapClient silent = proxy.client()) {
      none.send(1, Requests.bind(People.dn(1), People.PASSWORD));
      assertThat(none.closesWithin(PATIENCE)).isTrue();
      assertThat(silent.closesWithin(PATIENCE)).isTrue();
      Await.until(
          "both counted",
          () ->
              peers.counters().protocolErrors().get(ProtocolError.BAD_PROXY_HEADER) == 1
                  && peers.counters().timeouts().get(ClientTimeout.REQUEST) == 1);
    }
  }

  /** Addresses too short, additions too long, no such version, family, command or protocol. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0d0a0d0a000d0a515549540a 21 11 0008 c0000207 c0000201",
        "0d0a0d0a000d0a515549540a 21 11 0010 c0000207 c0000201 1234 0185 04001000",
        "0d0a0d0a000d0a515549540a 31 11 000c c0000207 c0000201 1234 0185",
        "0d0a0d0a000d0a515549540a 21 71 000c c0000207 c0000201 1234 0185",
        "0d0a0d0a000d0a515549540a 25 11 000c c0000207 c0000201 1234 0185",
        "0d0a0d0a000d0a515549540b 21 11 000c c0000207 c0000201 1234 0185",
        "PROXY TCP4 192.0.2.7 192.0.2.1 56324\r\n",
        "PROXY TCP4 192.0.2.7 2001:db8::1 56324 389\r\n",
        "PROXY TCP4 192.0.2.7 192.0.2.1 65536 389\r\n",
        "PROXY TCP5 192.0.2.7 192.0.2.1 56324 389\r\n",
        "PROXY  TCP4 192.0.2.7 192.0.2.1 56324 389 and so on for more octets than a line may have,"
            + " which are 107 with the end\r\n"
      })
  void aHeaderThatIsWrongEndsTheConnection(String header) {
    try (RunningProxy proxy = behindLoadBalancer("127.0.0.1:0");
        RawLdapClient client = proxy.client()) {
      client.sendOctets(Tlv.concat(octets(header), People.find(1).encode(1)));
      assertThat(client.closesWithin(PATIENCE)).isTrue();
      Await.until(
          "it is counted",
          () -> peers.counters().protocolErrors().get(ProtocolError.BAD_PROXY_HEADER) == 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {HEADER_V1, HEADER_V2})
  void aProxyHeaderOfAnUntrustedPeerIsNoLdap(String header) {
    try (RunningProxy proxy = start(ProxySetup.before(slapd.port()));
        RawLdapClient client = proxy.client()) {
      client.sendOctets(Tlv.concat(octets(header), People.find(1).encode(1)));
      assertThat(client.closesWithin(PATIENCE)).isTrue();
      Await.until(
          "it is counted",
          () -> peers.counters().protocolErrors().get(ProtocolError.BAD_ENVELOPE) == 1);
    }
  }
}
