// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cli.client.StoactlExitCode;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The messages of the packed {@code stoactl}. Its libraries lie on the boot class path, where some
 * of their classes do not work as they do in a test.
 */
class StoactlPackedIT {
  private static final String WAITING = "stoactl: waiting: ";
  private static final String PACKED =
      Path.of("target/dist/stoa/bin/stoactl").toAbsolutePath() + "";
  private static final String PASSWORD = "correct horse";
  private static final long PATIENCE_SECONDS = 60;

  @TempDir static Path directory;

  private static Certificates certificates;
  private static InMemoryDirectory upstream;
  private static StoaProcess stoa;
  private static Process waiting;
  private static String ldaps;
  private static String ldapi;
  private static Path password;

  @BeforeAll
  static void start() throws IOException {
    certificates = Certificates.create();
    upstream = InMemoryDirectory.start(1);
    ldaps = "ldaps://127.0.0.1:" + FreePort.next();
    ldapi = "ldapi://" + directory.resolve("ldapi").toString().replace("/", "%2F");
    password = Files.writeString(directory.resolve("password"), PASSWORD + "\n");
    waiting = begin("status", "--wait-ready", "--timeout", "60", "-H", ldapi);
    Certificates.Pair own = certificates.server();
    stoa =
        StoaProcess.configured(
            """
            upstream:
              servers: ['ldap://127.0.0.1:%d']
            management: {listen: none}
            tls: {certificate: %s, key: %s, clientCa: %s, clientAuth: require}
            admin: {passwordHash: '%s'}
            """
                .formatted(
                    upstream.port(),
                    own.certificate(),
                    own.key(),
                    certificates.ca(),
                    PasswordHash.of(PASSWORD.getBytes(UTF_8)).print()),
            ldaps,
            ldapi);
  }

  @AfterAll
  static void stop() {
    stoa.close();
    upstream.close();
    certificates.close();
  }

  private static Process begin(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(PACKED));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.startsWith("STOACTL_"));
    return Leftovers.start(builder.redirectErrorStream(true));
  }

  /**
   * Runs a command to its end and compares its exit code and its first line. Lines that tell why a
   * command waits are left out, unless such a line is expected.
   */
  private static void assertFirstLine(StoactlExitCode code, String message, String... arguments)
      throws Exception {
    assertEnds(begin(arguments), code, message);
  }

  private static void assertEnds(Process process, StoactlExitCode code, String message)
      throws Exception {
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(said.lines())
        .as(said)
        .filteredOn(line -> message.startsWith(WAITING) || !line.startsWith(WAITING))
        .first()
        .asString()
        .contains(message);
    assertThat(said).doesNotContain("\tat ", "Exception in thread");
    assertThat(process.exitValue()).as(said).isEqualTo(code.code());
  }

  private static void locally(StoactlExitCode code, String message, String... arguments)
      throws Exception {
    assertFirstLine(
        code,
        message,
        Stream.concat(Stream.of(arguments), Stream.of("-H", ldapi)).toArray(String[]::new));
  }

  private static void assertWithCertificate(
      StoactlExitCode code, String message, Path certificate, Path key) throws Exception {
    assertFirstLine(
        code,
        message,
        "status",
        "-H",
        ldaps,
        "-y",
        password.toString(),
        "--ca",
        certificates.ca().toString(),
        "--cert",
        certificate.toString(),
        "--key",
        key.toString());
  }

  @Test
  void aCommandThatBeganBeforeStoaWaitsUntilStoaIsReady() throws Exception {
    assertEnds(waiting, StoactlExitCode.DONE, "stoa        Stoa ");
    String absent = "ldapi://" + directory.resolve("absent");
    assertFirstLine(
        StoactlExitCode.UNREACHABLE,
        WAITING + absent + ": connection failed: no such file; start Stoa",
        "status",
        "--wait-ready",
        "--timeout",
        "1",
        "-H",
        absent);
  }

  @Test
  void aClientCertificateIsSent() throws Exception {
    Certificates.Pair own = certificates.client("cn=operator");
    assertWithCertificate(StoactlExitCode.DONE, "stoa        Stoa ", own.certificate(), own.key());
  }

  @Test
  void anUnusableCertificateIsNamedWithTheCause() throws Exception {
    Certificates.Pair own = certificates.client("cn=operator");
    Certificates.Pair other = certificates.client("cn=other");
    Certificates.Pair old = certificates.expired("cn=operator");
    Path absent = directory.resolve("absent");
    Path legacy = Files.writeString(directory.resolve("legacy"), pem("EC PRIVATE KEY", "MAA="));
    Path broken = Files.writeString(directory.resolve("broken"), pem("CERTIFICATE", "MAA="));
    assertWithCertificate(
        StoactlExitCode.USAGE, other.key() + " is not the key of", own.certificate(), other.key());
    assertWithCertificate(
        StoactlExitCode.USAGE, old.certificate() + " expired on 20", old.certificate(), old.key());
    assertWithCertificate(
        StoactlExitCode.USAGE, absent + " cannot be read: no such file", own.certificate(), absent);
    assertWithCertificate(
        StoactlExitCode.USAGE, "has no CERTIFICATE in PEM form", own.key(), own.certificate());
    assertWithCertificate(
        StoactlExitCode.USAGE,
        "legacy has no PRIVATE KEY in PEM form: conv",
        own.certificate(),
        legacy);
    assertWithCertificate(
        StoactlExitCode.USAGE, "broken contains an invalid certificate", broken, own.key());
  }

  private static String pem(String label, String content) {
    return "-----BEGIN " + label + "-----\n" + content + "\n-----END " + label + "-----\n";
  }

  @Test
  void connectionsThatFail() throws Exception {
    assertFirstLine(
        StoactlExitCode.UNREACHABLE,
        "connection failed",
        "status",
        "-H",
        ldaps,
        "-y",
        "" + password);
    assertFirstLine(
        StoactlExitCode.UNREACHABLE, "connection failed", "status", "-H", "ldap://host.invalid");
    assertFirstLine(
        StoactlExitCode.NOT_STOA,
        "is not a Stoa, or its",
        "status",
        "-H",
        "ldap://127.0.0.1:" + upstream.port());
    assertFirstLine(StoactlExitCode.USAGE, "must have the form", "status", "-H", "http://h");
  }

  @Test
  void credentialsThatFail() throws Exception {
    Path wrong = Files.writeString(directory.resolve("wrong"), "wrong horse\n");
    locally(
        StoactlExitCode.CREDENTIALS, "invalid credentials (49)", "status", "-y", wrong.toString());
    locally(StoactlExitCode.USAGE, "there is no terminal: use -y FILE", "status", "-D", "cn=x");
    locally(StoactlExitCode.USAGE, "cannot be read", "status", "-y", directory + "/absent");
  }

  @Test
  void wrongArgumentsAreUsageErrors() throws Exception {
    locally(StoactlExitCode.USAGE, "Unmatched argument: 'now'", "status", "now");
    locally(
        StoactlExitCode.USAGE, "is not a valid filter", "cache", "explain", "dc=x", "sub", "(uid=");
    locally(StoactlExitCode.USAGE, "'deep'", "cache", "explain", "dc=x", "deep", "(uid=a)");
    locally(StoactlExitCode.USAGE, "a value or --empty", "config", "set", "cache.maxAge");
    locally(StoactlExitCode.USAGE, "no terminal for confirmation: use --yes", "shutdown");
  }

  @Test
  void unknownObjectsAreRefused() throws Exception {
    locally(
        StoactlExitCode.REFUSED, "there is no server 9; the servers are", "backends", "drain", "9");
    locally(StoactlExitCode.REFUSED, "there is no client 70000", "clients", "show", "70000");
    locally(StoactlExitCode.REFUSED, "there is no window a,b=c", "windows", "flush", "a,b=c");
    locally(StoactlExitCode.REFUSED, "there is no sharing class a\\b", "classes", "show", "a\\b");
    locally(StoactlExitCode.REFUSED, "there is no feed for dc=x", "feeds", "show", "dc=x");
    locally(StoactlExitCode.REFUSED, "did you mean cache.maxAge?", "config", "get", "cache.maxage");
    locally(
        StoactlExitCode.REFUSED,
        "(21): restore: no demoted sharing class",
        "cache",
        "restore",
        "apps");
  }

  @Test
  void valuesThatAreRefused() throws Exception {
    locally(
        StoactlExitCode.REFUSED,
        "(21): stoa-cache-maxAge: 'x' is",
        "config",
        "set",
        "cache.maxAge",
        "x");
    locally(StoactlExitCode.REFUSED, "(21): weight '0' must be", "backends", "weight", "1", "0");
    locally(StoactlExitCode.REFUSED, "(21): flush: ", "cache", "flush", "--entry", "no name");
    locally(StoactlExitCode.UNCOMPARED, "nothing was compared: no feed is live", "audit");
  }

  @Test
  void commandsThatPrint() throws Exception {
    locally(StoactlExitCode.DONE, "number  url", "backends", "list");
    locally(
        StoactlExitCode.DONE, "not-stored", "cache", "explain", "dc=x", "sub", "(uid=a)", "--json");
    locally(StoactlExitCode.DONE, "time ", "top", "--count", "1", "--interval", "0.1");
    locally(StoactlExitCode.DONE, "cache.maxAge is 9s", "config", "set", "cache.maxAge", "9s");
    locally(StoactlExitCode.DONE, "key ", "config", "diff");
    locally(StoactlExitCode.DONE, "cache.maxAge is 5s", "config", "unset", "cache.maxAge");
    locally(StoactlExitCode.DONE, "#!/usr/bin/env bash", "completion");
  }
}
