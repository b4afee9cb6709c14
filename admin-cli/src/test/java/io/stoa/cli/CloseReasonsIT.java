// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.util.json.JSONObject;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.testing.Answers;
import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;
import io.stoa.testing.People;
import io.stoa.testing.Received;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever is wrong at the other end is one line, its exit code, and JSON if that is wanted. */
class CloseReasonsIT {
  private static final Map<String, String> PASSWORD = Map.of(Environment.PASSWORD, "secret");

  @TempDir Path directory;

  private ScriptedUpstream server;

  @BeforeEach
  void start() {
    server = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private String url() {
    return "ldap://127.0.0.1:" + server.port();
  }

  private static Entry monitor(String... lines) {
    Entry entry = new Entry("cn=monitor");
    entry.addAttribute("objectClass", "top");
    for (String line : lines) {
      entry.addAttribute(line.split(": ")[0], line.split(": ")[1]);
    }
    return entry;
  }

  /** From here on it takes itself for a Stoa. */
  private void isStoa() {
    server.when(
        request -> request.isSearchFor("cn=monitor"),
        Answers.entries(monitor("version: Stoa 1.0", "stoaInterface: 1")));
  }

  private static void assertFails(StoactlExitCode code, String message, String... arguments)
      throws Exception {
    List<String> words = new ArrayList<>(List.of(arguments));
    words.add("--json");
    CommandLineRun run = CommandLineRun.of(PASSWORD, words.toArray(String[]::new));
    assertThat(run.code()).as(run.err()).isEqualTo(code.code());
    assertThat(run.err().lines()).singleElement().asString().startsWith("stoactl: ");
    assertThat(run.err()).contains(message);
    JSONObject error = new JSONObject(run.out()).getFieldAsObject("error");
    assertThat(error.getFieldAsInteger("code")).isEqualTo(code.code());
    assertThat(error.getFieldAsString("reason")).isEqualTo(code.word());
    assertThat("stoactl: " + error.getFieldAsString("message")).isEqualTo(run.err().strip());
  }

  // Nobody answers

  @Test
  void aServerThatIsDown() throws Exception {
    server.goDown();
    assertFails(StoactlExitCode.UNREACHABLE, url() + ": connection failed", "status", "-H", url());
    Path absent = directory.resolve("absent");
    assertFails(
        StoactlExitCode.UNREACHABLE,
        absent + ": connection failed",
        "status",
        "-H",
        "ldapi://" + absent);
    Path file = Files.writeString(directory.resolve("file"), "no socket");
    assertFails(
        StoactlExitCode.UNREACHABLE, "connection failed", "status", "-H", "ldapi://" + file);
    assertFails(
        StoactlExitCode.UNREACHABLE, "connection failed", "status", "-H", "ldap://host.invalid");
  }

  @Test
  void aServerThatDoesNotAnswer() throws Exception {
    server.always(Answers.silence());
    assertFails(StoactlExitCode.UNREACHABLE, "timed out", "status", "-H", url(), "--timeout", "1");
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String ldaps = "ldaps://127.0.0.1:" + silent.getLocalPort();
      assertFails(
          StoactlExitCode.UNREACHABLE, "timed out", "status", "-H", ldaps, "--timeout", "1");
    }
  }

  /** So a port for TLS answers a request without TLS. */
  @Test
  void aServerThatHangsUpAtTheFirstRequestMayExpectTls() throws Exception {
    server.always(Answers.close());
    assertFails(
        StoactlExitCode.UNREACHABLE,
        "; the port may expect TLS: try ldaps://",
        "status",
        "-H",
        url());
  }

  @Test
  void aServerThatIsSilentAfterTheBindTimesOut() throws Exception {
    isStoa();
    server.when(request -> request.is(Received.BIND), Answers.silence());
    assertFails(StoactlExitCode.UNREACHABLE, "timed out", "status", "-H", url(), "--timeout", "1");
  }

  @Test
  void aServerThatHangsUp() throws Exception {
    isStoa();
    server.when(request -> request.is(Received.MODIFY), Answers.close());
    assertFails(
        StoactlExitCode.UNREACHABLE,
        url() + ": connection failed: connection closed",
        "shutdown",
        "--yes",
        "-H",
        url());
  }

  // TLS

  @Test
  void aRefusedStartTlsIsReported() throws Exception {
    server.when(request -> request.is(Received.EXTENDED), Answers.result(2));
    isStoa();
    assertFails(StoactlExitCode.UNREACHABLE, "refuses StartTLS", "shutdown", "-ZZ", "-H", url());
    CommandLineRun tried =
        CommandLineRun.of(PASSWORD, "windows", "flush", "people", "-Z", "-H", url());
    assertThat(tried.code()).as(tried.err()).isZero();
  }

  @Test
  void aStalledStartTlsHandshakeTimesOut() throws Exception {
    server.when(request -> request.is(Received.EXTENDED), Answers.success());
    assertFails(StoactlExitCode.UNREACHABLE, "", "shutdown", "-ZZ", "-H", url(), "--timeout", "1");
  }

  @Test
  void aCertificateOfAnotherHostIsRefused() throws Exception {
    try (Certificates certificates = Certificates.create();
        Slapd right = Slapd.start(People.slapd(1).tls(certificates, certificates.server()));
        Slapd wrong =
            Slapd.start(
                People.slapd(1).tls(certificates, certificates.server("other.example.com")))) {
      String ca = certificates.ca().toString();
      for (String url : List.of(right.ldapsUrl(), right.url())) {
        String[] tls = url.startsWith("ldaps") ? new String[0] : new String[] {"-ZZ"};
        assertFails(
            StoactlExitCode.NOT_STOA, "is not a Stoa", with(tls, "status", "-H", url, "--ca", ca));
        assertFails(
            StoactlExitCode.UNREACHABLE, "connection failed", with(tls, "status", "-H", url));
      }
      assertFails(
          StoactlExitCode.UNREACHABLE,
          "connection failed",
          "status",
          "-H",
          wrong.ldapsUrl(),
          "--ca",
          ca);
      assertFails(
          StoactlExitCode.UNREACHABLE,
          "connection failed",
          "status",
          "-H",
          wrong.url(),
          "-ZZ",
          "--ca",
          ca);
    }
  }

  private static String[] with(String[] more, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void unreadableAuthoritiesAreReported() throws Exception {
    String[] command = {"status", "-H", "ldaps://127.0.0.1:" + server.port(), "--ca", ""};
    command[4] = directory.resolve("absent").toString();
    assertFails(StoactlExitCode.USAGE, "cannot be read: no such file", command);
    command[4] = Files.writeString(directory.resolve("empty"), "").toString();
    assertFails(StoactlExitCode.USAGE, "contains no certificate", command);
  }

  // Somebody else answers, or an older Stoa

  @Test
  void aForeignServerGetsNoPassword() throws Exception {
    try (Slapd slapd = Slapd.start(People.slapd(1))) {
      assertFails(
          StoactlExitCode.NOT_STOA,
          slapd.url() + " has no cn=monitor of Stoa",
          "status",
          "-H",
          slapd.url());
      assertFails(
          StoactlExitCode.NOT_STOA,
          "is not a Stoa",
          "status",
          "-H",
          slapd.ldapiUrl().replace("%2F", "/"));
    }
    assertFails(
        StoactlExitCode.NOT_STOA, url() + " has no cn=monitor of Stoa", "status", "-H", url());
    assertThat(server.received(request -> request.is(Received.BIND))).isEmpty();
  }

  @Test
  void aDisabledTreeIsNamed() throws Exception {
    assertFails(StoactlExitCode.NOT_STOA, "or its monitor.tree is false", "status", "-H", url());
    server.when(
        request -> request.isSearchFor("cn=monitor"),
        Answers.entries(
            monitor("version: Stoa 1.0", "stoaInterface: 1", "stoaAdministrator: FALSE")));
    assertFails(
        StoactlExitCode.REFUSED,
        "has no administrator: admin.tree is false",
        "status",
        "-H",
        url());
    assertThat(server.received(request -> request.is(Received.BIND))).isEmpty();
  }

  @Test
  void anOldVersionOfStoaIsRefused() throws Exception {
    server.when(
        request -> request.isSearchFor("cn=monitor"),
        Answers.entries(monitor("version: Stoa 0.0.9")));
    assertFails(StoactlExitCode.NOT_STOA, "is Stoa 0.0.9, which is too old", "status", "-H", url());
    assertThat(server.received(request -> request.is(Received.BIND))).isEmpty();
  }

  @Test
  void aServerThatRefusesCnMonitorGetsNoPassword() throws Exception {
    server.when(request -> request.isSearchFor("cn=monitor"), Answers.result(50));
    assertFails(StoactlExitCode.NOT_STOA, "refuses cn=monitor", "status", "-H", url());
    server.when(request -> request.isSearchFor("cn=monitor"), Answers.result(13));
    assertFails(StoactlExitCode.NOT_STOA, "is not a Stoa", "status", "-H", url());
    server.when(request -> request.isSearchFor("cn=monitor"), Answers.result(52));
    assertFails(StoactlExitCode.REFUSED, "unavailable (52)", "status", "-H", url());
    assertThat(server.received(request -> request.is(Received.BIND))).isEmpty();
  }

  // It says no

  @Test
  void refusedCredentialsAreReported() throws Exception {
    isStoa();
    server.when(request -> request.is(Received.BIND), Answers.result(49));
    assertFails(
        StoactlExitCode.CREDENTIALS, "invalid credentials (49)", "shutdown", "--yes", "-H", url());
    server.when(request -> request.is(Received.BIND), Answers.result(51));
    assertFails(StoactlExitCode.REFUSED, "busy (51)", "shutdown", "--yes", "-H", url());
  }

  @Test
  void aRefusedActionIsReported() throws Exception {
    isStoa();
    server.when(request -> request.is(Received.MODIFY), Answers.result(53));
    assertFails(
        StoactlExitCode.REFUSED,
        "unwilling to perform (53)",
        "cache",
        "flush",
        "--all",
        "-H",
        url());
    server.when(request -> request.is(Received.MODIFY), Answers.result(32));
    assertFails(
        StoactlExitCode.REFUSED, "there is no window p", "windows", "flush", "p", "-H", url());
    assertFails(
        StoactlExitCode.REFUSED, "there is no client 7", "clients", "disconnect", "7", "-H", url());
  }

  // Passwords

  @Test
  void thePasswordOfAFileIsItsFirstLine() throws Exception {
    isStoa();
    Path file = Files.writeString(directory.resolve("password"), "of the file\r\nsecond line\n");
    CommandLineRun run =
        CommandLineRun.of(PASSWORD, "shutdown", "--yes", "-H", url(), "-y", file.toString());
    assertThat(run.code()).as(run.err()).isZero();
    assertThat(server.received(request -> request.is(Received.BIND)))
        .singleElement()
        .satisfies(bind -> assertThat(bind.message().mentions("of the file")).isTrue())
        .satisfies(bind -> assertThat(bind.message().mentions("\r")).isFalse())
        .satisfies(
            bind -> assertThat(bind.message().mentions("cn=admin,cn=configuration")).isTrue());
    assertFails(
        StoactlExitCode.USAGE,
        "absent cannot be read",
        "status",
        "-H",
        url(),
        "-y",
        directory + "/absent");
    Files.writeString(file, "\n");
    assertFails(
        StoactlExitCode.USAGE,
        "the password is empty",
        "status",
        "-H",
        url(),
        "-y",
        file.toString());
    Files.writeString(file, "x".repeat(2000));
    assertFails(
        StoactlExitCode.USAGE,
        "the password is longer than 1024 bytes",
        "status",
        "-H",
        url(),
        "-y",
        file.toString());
  }

  // What comes from others

  @Test
  void controlCharactersOfMessagesAreReplaced() {
    server.when(
        request -> request.isSearchFor("cn=monitor"),
        Answers.entries(monitor("version: Stoa \u001b[2J\u0007", "x: y")));
    CommandLineRun run = CommandLineRun.of(PASSWORD, "status", "-H", url());
    assertThat(run.err()).contains("Stoa ?[2J?").doesNotContain("\u001b");
  }

  @Test
  void theUrlComesFromTheEnvironment() {
    int nobody = FreePort.next();
    CommandLineRun run =
        CommandLineRun.of(
            Map.of(Environment.URI, "ldap://127.0.0.1:" + nobody), "status", "--timeout", "2");
    assertThat(run.err()).contains("ldap://127.0.0.1:" + nobody + ": connection failed");
  }
}
