// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.stoa.operation.Rejection;
import io.stoa.operation.event.ClientEvent;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.config.ConfigException;
import io.stoa.server.config.ConfigReader;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.LdapCommand.Output;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stoa's own administrator: who becomes it, what it gets, and that no directory hears of it. */
class AdministratorIT {
  private static final String DN = "cn=admin,cn=configuration";
  private static final String PASSWORD = "correct horse";
  private static final String HASH = PasswordHash.of(PASSWORD.getBytes(UTF_8)).print();
  private static final int BUSY = Rejection.QUEUE_FULL.resultCode();

  @TempDir Path directory;

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private String config(String... more) {
    return """
    listen: ['127.0.0.1:0', '127.0.0.2:0', 'ldapi://%s']
    management: {listen: none}
    eventLoops: 2
    upstream:
      servers: ['ldap://127.0.0.1:%d']
    """
            .formatted(socket().toString().replace("/", "%2F"), upstream.port())
        + String.join("\n", more)
        + "\n";
  }

  private Path socket() {
    return directory.resolve("ldapi");
  }

  private StoaServer server(String... more) throws ConfigException {
    StoaServer server = TestServers.start(ConfigReader.parse("stoa.yaml", config(more)));
    Await.until("Stoa is ready", () -> server.proxy().status().ready());
    return server;
  }

  private StoaServer server() throws ConfigException {
    return server("admin: {passwordHash: '" + HASH + "'}");
  }

  private static Output ldap(StoaServer server, String command, String... more) {
    return run(
        command, "ldap://127.0.0.1:" + TestServers.port(server), List.of("-x", "-D", DN), more);
  }

  private static Output run(String command, String url, List<String> how, String... more) {
    List<String> words = new ArrayList<>(List.of(command, "-H", url));
    words.addAll(how);
    words.addAll(List.of(more));
    return LdapCommand.run(Map.of(), words.toArray(String[]::new));
  }

  private Output external(String command, String... more) {
    String url = "ldapi://" + socket().toString().replace("/", "%2F");
    return run(command, url, List.of("-Q", "-Y", "EXTERNAL"), more);
  }

  // Who becomes it

  @Test
  void theAdministratorBindsWithAHashedPassword() throws Exception {
    Path file = Files.writeString(directory.resolve("password"), PASSWORD + "\n");
    CommandRun hash =
        CommandRun.of(CommandProcess.command("hash-password", "--file", file.toString()));
    assertThat(hash.exitCode()).isZero();
    assertThat(hash.output()).startsWith("{PBKDF2-SHA512}").doesNotContain(PASSWORD);
    try (StoaServer server = server("admin: {passwordHash: '" + hash.output().strip() + "'}")) {
      Output who = ldap(server, "ldapwhoami", "-y", chomped(file).toString());
      assertThat(who.text()).endsWith("dn:" + DN + "\n");
    }
  }

  /** Where nobody gets in any more, who runs Stoa does. */
  @Test
  void theLocalAdministratorConnectsAboveTheLimit() throws Exception {
    try (StoaServer server = server("limits: {connections: 1}");
        RawLdapClient first = TestServers.rawClient(server)) {
      first.bind("uid=a,dc=example,dc=com", "secret"); // otherwise it would give way
      try (RawLdapClient second = TestServers.rawClient(server)) {
        assertThat(second.closesWithin(Duration.ofSeconds(10))).isTrue();
      }
      List<SocketChannel> taken = new ArrayList<>();
      for (int i = 0; i < 15; i++) {
        taken.add(SocketChannel.open(UnixDomainSocketAddress.of(socket())));
      }
      Output who = external("ldapwhoami");
      assertThat(who.text()).endsWith("dn:" + DN + "\n");
      Await.until("its place is free", () -> server.proxy().status().connections() == 16);
      for (int i = 0; i < 8; i++) { // its place may be free a moment after it is counted no more
        taken.add(SocketChannel.open(UnixDomainSocketAddress.of(socket())));
      }
      try (SocketChannel last = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
        assertTimeoutPreemptively(Duration.ofSeconds(10), () -> awaitEnd(last));
      }
      for (SocketChannel one : taken) {
        one.close();
      }
    }
  }

  private static void awaitEnd(SocketChannel channel) throws IOException {
    ByteBuffer told = ByteBuffer.allocate(1000);
    while (channel.read(told) >= 0) {
      assertThat(told.hasRemaining()).isTrue();
    }
  }

  private Path chomped(Path file) throws IOException {
    return Files.writeString(
        directory.resolve("chomped"), Files.readString(file).replace("\n", ""));
  }

  @Test
  void aPasswordIsNeverAnArgument() {
    CommandRun wrong = CommandRun.of(CommandProcess.command("hash-password", "secret"));
    assertThat(wrong.exitCode()).isEqualTo(ExitCode.USAGE.code());
    CommandRun empty = CommandRun.of(CommandProcess.command("hash-password", "--stdin"));
    assertThat(empty.exitCode()).isEqualTo(ExitCode.USAGE.code());
    assertThat(empty.output()).contains("1 to 1024 bytes");
  }

  @Test
  void wrongPasswordsAndNamesAreRefusedAndThrottled() throws ConfigException {
    try (StoaServer server = server();
        RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(client.code(Requests.bind(DN, "wrong"))).isEqualTo(49);
      assertThat(client.code(Requests.bind("cn=other,cn=configuration", PASSWORD))).isEqualTo(49);
      assertThat(client.code(Requests.bind(DN, ""))).isEqualTo(53);
      assertThat(client.code(Requests.bind("cn=configuration", "x"))).isEqualTo(49);
      assertThat(client.code(Requests.bind(DN, PASSWORD))).isEqualTo(BUSY);
      assertThat(client.code(search("dc=example,dc=com").request())).isZero();
    }
    assertThat(upstream.received(request -> request.is(Received.BIND))).isEmpty();
  }

  @Test
  void withoutAPasswordHashEveryAdministratorBindFails() throws ConfigException {
    try (StoaServer server = server("");
        RawLdapClient client = TestServers.rawClient(server)) {
      for (String name :
          List.of(DN, "CN=Admin, cn = Configuration", "cn=admin,cn=configuratio\\6e")) {
        assertThat(client.code(Requests.bind(name, PASSWORD))).isEqualTo(49);
      }
    }
    assertThat(upstream.received(request -> request.is(Received.BIND))).isEmpty();
  }

  /** RFC 4518, section 2.2: preparation maps control octets to nothing. */
  @Test
  void controlOctetsInTheNameDoNotPassABindOn() throws ConfigException {
    try (StoaServer server = server("");
        RawLdapClient client = TestServers.rawClient(server)) {
      for (String name : List.of(DN + "\u0000", "cn=admin,cn=confi\u007fguration")) {
        assertThat(client.code(Requests.bind(name, PASSWORD))).isEqualTo(49);
      }
    }
    assertThat(upstream.received(request -> request.is(Received.BIND))).isEmpty();
  }

  @Test
  void rootAndTheOwnUserAreAdministratorByExternal() throws ConfigException {
    try (StoaServer server = server("")) {
      assertThat(external("ldapwhoami")).isEqualTo(new Output(0, "dn:" + DN + "\n"));
      Output other = external("ldapwhoami", "-X", "dn:cn=anna,dc=example,dc=com");
      assertThat(other.code()).as("as somebody else").isEqualTo(49);
      Output read = external("ldapsearch", "-LLL", "-s", "base", "-b", "cn=monitor", "cn");
      assertThat(read.text()).contains("cn: monitor");
    }
  }

  @Test
  void onlyTheAdministratorSeesClients() throws ConfigException {
    try (StoaServer server = server();
        RawLdapClient client = TestServers.rawClient(server)) {
      client.bind("cn=somebody", "secret");
      String[] search = {
        "-LLL", "-b", "cn=monitor", "(monitorConnectionAuthzDN=cn=somebody)", "+", "connection"
      };
      assertThat(external("ldapsearch", search).text())
          .contains("monitorConnectionPeerAddress: IP=127.0.0.1:" + client.port())
          .contains("monitorConnectionOpsReceived: 1\n");
      String url = "ldap://127.0.0.1:" + TestServers.port(server);
      assertThat(run("ldapsearch", url, List.of("-x"), search).text()).isEmpty();
      Output values =
          external("ldapsearch", "-LLL", "-s", "base", "-b", "cn=monitor", "connection");
      assertThat(values.text()).contains(":1:1:-:cn=somebody:0:0:0:", ":ip=127.0.0.1");
    }
  }

  @Test
  void otherNetworksCannotReadTheTrees() throws ConfigException {
    String hash = "passwordHash: '" + HASH + "'";
    try (StoaServer server = server("admin: {" + hash + ", networks: [10.0.0.0/8]}");
        RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(client.code(search("cn=monitor").baseScope().request())).isEqualTo(50);
      for (String password : List.of(PASSWORD, "wrong")) {
        assertThat(client.code(Requests.bind(DN, password))).as("whatever is sent").isEqualTo(50);
      }
      assertThat(client.code(search("dc=example,dc=com").request())).isZero();
      assertThat(external("ldapsearch", "-s", "base", "-b", "cn=monitor").code()).isZero();
    }
  }

  @Test
  void otherListenersDoNotServeTheTrees() throws ConfigException {
    String hash = "passwordHash: '" + HASH + "'";
    try (StoaServer server = server("admin: {" + hash + ", listeners: ['127.0.0.2:0']}");
        RawLdapClient other = RawLdapClient.connect(server.addresses().get(0));
        RawLdapClient client = RawLdapClient.connect(server.addresses().get(1))) {
      assertThat(other.code(search("cn=monitor").baseScope().request())).isEqualTo(50);
      assertThat(other.code(Requests.bind(DN, PASSWORD))).isEqualTo(50);
      assertThat(other.code(search("dc=example,dc=com").request())).isZero();
      assertThat(client.code(search("cn=monitor").baseScope().request())).isZero();
      assertThat(client.code(Requests.bind(DN, PASSWORD))).isZero();
      assertThat(external("ldapsearch", "-s", "base", "-b", "cn=monitor").code()).isZero();
    }
  }

  @Test
  void anUnknownAdminListenerIsRefused() {
    assertThatThrownBy(() -> server("admin: {listeners: ['127.0.0.3:0']}"))
        .hasMessageContaining("admin.listeners contains 127.0.0.3:0, which is missing from listen");
  }

  // What it gets

  @Test
  void theAdministratorReachesOnlyStoasOwnTrees() throws ConfigException {
    try (StoaServer server = server();
        RawLdapClient client = TestServers.rawClient(server).bind(DN, PASSWORD)) {
      assertThat(client.code(search("cn=monitor").baseScope().request())).isZero();
      for (RawRequest request : refused()) {
        assertThat(client.code(request)).isEqualTo(50);
      }
      assertThat(client.code(Requests.whoAmI())).isZero();
      assertThat(server.counters().events().get(ClientEvent.OWN_SEARCH)).isEqualTo(4);
      assertThat(upstream.received(AdministratorIT::isOfAClient)).isEmpty();
    }
  }

  private static List<RawRequest> refused() {
    return List.of(
        search("dc=secret").request(),
        search("dc=secret").filter("(uid=anna)").request(),
        search("cn=schema").baseScope().request(),
        Requests.compare("uid=anna,dc=secret", "sn", "x"),
        Requests.add("uid=anna,dc=secret", "objectClass: top"),
        Requests.replace("uid=anna,dc=secret", "sn", "x"),
        Requests.delete("uid=anna,dc=secret"),
        Requests.rename("uid=anna,dc=secret", "uid=berta", true),
        Requests.extended("1.3.6.1.4.1.4203.1.11.1"),
        Requests.extended("1.2.3.4"));
  }

  /** Stoa's own questions are searches, and about other entries. */
  private static boolean isOfAClient(Received request) {
    return !request.is(Received.SEARCH) || request.message().mentions("secret");
  }

  @Test
  void anotherBindEndsTheAdministratorSession() throws ConfigException {
    try (StoaServer server = server();
        RawLdapClient client = TestServers.rawClient(server).bind(DN, PASSWORD)) {
      assertThat(client.code(Requests.delete("uid=anna,dc=secret"))).isEqualTo(50);
      assertThat(client.code(Requests.anonymousBind())).isZero();
      assertThat(client.code(search("dc=example,dc=com").request())).isZero();
      client.bind(DN, PASSWORD);
      assertThat(client.code(search("dc=example,dc=com").request())).isEqualTo(50);
      assertThat(client.code(Requests.bind(DN, "wrong"))).isEqualTo(49);
      assertThat(client.code(search("dc=example,dc=com").request())).isZero();
    }
  }

  // Trees that are given back

  @Test
  void disabledTreesBelongToTheDirectory() throws ConfigException {
    upstream.when(request -> request.is(Received.MODIFY), Answers.success());
    String admin = "admin: {tree: false, passwordHash: '" + HASH + "', networks: [10.0.0.0/8]}";
    try (StoaServer server = server("monitor: {tree: false}", admin);
        RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(client.code(search("cn=monitor").baseScope().request())).isZero();
      assertThat(client.code(search("cn=Stoa,cn=configuration").request())).isZero();
      assertThat(client.code(Requests.bind(DN, "anything"))).isZero();
      assertThat(client.code(Requests.replace("cn=x,cn=monitor", "sn", "x"))).isZero();
      assertThat(client.code(search("dc=example,dc=com").request())).isZero();
      assertThat(server.counters().events().get(ClientEvent.OWN_SEARCH)).isZero();
    }
    assertThat(upstream.received(request -> request.isSearchFor("cn=monitor"))).hasSize(1);
    assertThat(upstream.received(request -> request.isSearchFor("cn=Stoa,cn=configuration")))
        .hasSize(1);
    assertThat(upstream.received(request -> request.is(Received.BIND))).hasSize(1);
    assertThat(upstream.received(request -> request.is(Received.MODIFY))).hasSize(1);
  }

  @Test
  void theAdministratorNeverSeesTheDirectorysCnMonitor() throws ConfigException {
    String hash = "admin: {passwordHash: '" + HASH + "'}";
    try (StoaServer server = server("monitor: {tree: false}", hash);
        RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(client.code(search("cn=configuration").request())).isEqualTo(50);
      client.bind(DN, PASSWORD);
      assertThat(client.code(search("cn=configuration").request())).isZero();
      assertThat(client.code(search("cn=monitor").baseScope().request())).isEqualTo(50);
      RawRequest root = search("").baseScope().attributes("+").request();
      assertThat(client.call(root).get(0).mentions("configContext")).isTrue();
      assertThat(client.call(root).get(0).mentions("monitorContext")).isFalse();
    }
    assertThat(upstream.received(request -> request.isSearchFor("cn=monitor"))).isEmpty();
  }

  @Test
  void withoutCnConfigurationThereIsNoAdministrator() throws ConfigException {
    try (StoaServer server = server("admin: {tree: false, passwordHash: '" + HASH + "'}");
        RawLdapClient client = TestServers.rawClient(server)) {
      RawRequest shown = search("cn=monitor").baseScope().attributes("stoaAdministrator").request();
      assertThat(client.call(shown).get(0).mentions("FALSE")).isTrue();
      client.bind(DN, PASSWORD);
      assertThat(client.code(search("cn=x,cn=configuration").request())).isZero();
      assertThat(client.call(search("cn=Connections,cn=monitor").oneLevel().request()))
          .noneMatch(entry -> entry.mentions("cn=Connection "));
      assertThat(client.code(Requests.replace("cn=Caches,cn=monitor", "stoaAction", "flush")))
          .isEqualTo(50);
    }
    assertThat(upstream.received(request -> request.is(Received.BIND))).hasSize(1);
  }

  // What is said of it

  @Test
  void theLogNamesNeitherPasswordNorHash() throws Exception {
    Path file =
        Files.writeString(
            directory.resolve("stoa.yaml"), config("admin: {passwordHash: '" + HASH + "'}"));
    try (CommandProcess process = CommandProcess.start("run", "--config", file.toString())) {
      process.await("INFO .*: ready$");
      assertThat(external("ldapwhoami").code()).isZero();
      process.await("administrator bound: from a local socket \\(uid 0, gid 0, pid \\d+\\)");
      Output other = asAnotherUser();
      assertThat(other.code()).isEqualTo(49);
      assertThat(other.text())
          .contains("SASL EXTERNAL as administrator is limited to root (uid 0)");
      process.await("refused: from a local socket \\(uid 65534, gid 65534, pid \\d+\\)");
      process.signal("TERM");
      process.awaitExit();
      assertThat(process.output()).doesNotContain("PBKDF2").doesNotContain(PASSWORD);
    }
  }

  /** A user of the machine who is neither root nor the user of Stoa. */
  private Output asAnotherUser() {
    List<String> words = new ArrayList<>(List.of("setpriv", "--reuid=65534", "--regid=65534"));
    words.addAll(List.of("--clear-groups", "ldapwhoami", "-Q", "-Y", "EXTERNAL", "-H"));
    words.add("ldapi://" + socket().toString().replace("/", "%2F"));
    assertThat(directory.toFile().setExecutable(true, false)).isTrue();
    return LdapCommand.run(Map.of(), words.toArray(String[]::new));
  }

  @Test
  void anInvalidAdminSectionIsRefusedAtStartUp() throws IOException {
    check("admin: {dn: 'cn=admin,dc=example,dc=com'}", "must be below cn=configuration");
    check("admin: {dn: 'cn=configuration'}", "must be below cn=configuration");
    check("admin: {passwordHash: 'secret'}", "must be the output of 'stoa hash-password'");
    check("admin: {passwordHash: '" + HASH.replace("210000", "1000") + "'}", "rounds 1000");
  }

  private void check(String line, String message) throws IOException {
    Path file = Files.writeString(directory.resolve("wrong.yaml"), config(line));
    CommandRun check = CommandRun.of(CommandProcess.command("check-config", file.toString()));
    assertThat(check.exitCode()).isEqualTo(ExitCode.CONFIGURATION.code());
    assertThat(check.output()).contains("wrong.yaml:6:", message).doesNotContain("secret");
  }
}
