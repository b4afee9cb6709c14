// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an administrator reads when something is missing or wrong holds no text of Java's. */
class FailureMessagesIT {
  /** Parts of texts of exceptions, and of their classes and numbers. */
  private static final String[] FOREIGN = {
    "Exception", "errno", "error(-", "(..)", "java.", "io.netty", "sun.", "PKIX", "null", "\tat "
  };

  @TempDir private Path directory;

  @Test
  void missingPasswordFile() throws Exception {
    Path file =
        configured(
            "upstream: {servers: ['ldap://127.0.0.1:1']}\n"
                + "identity: {serviceDn: 'cn=stoa', servicePasswordFile: '%s/absent'}\n"
                    .formatted(directory));
    assertEnds(
        ExitCode.CONFIGURATION, "absent cannot be read: no such file", "run", "--config", file);
  }

  @Test
  void missingConfiguration() throws Exception {
    assertEnds(
        ExitCode.CONFIGURATION, ": no such file", "run", "--config", directory.resolve("absent"));
    assertEnds(ExitCode.CONFIGURATION, ": is a directory", "check-config", directory);
    assertEnds(
        ExitCode.FAILURE,
        "stoa: " + directory + "/absent cannot be read: no such file",
        "hash-password",
        "--file",
        directory.resolve("absent"));
  }

  @Test
  void missingCertificate() throws Exception {
    Path absent = directory.resolve("absent");
    assertEnds(
        ExitCode.CONFIGURATION,
        "stoa: " + absent + ": no such file",
        "run",
        "--upstream=ldap://127.0.0.1:1",
        "--listen=ldaps://127.0.0.1:0",
        "--certificate=" + absent,
        "--key=" + absent);
  }

  @Test
  void missingDirectoryOfASocket() throws Exception {
    Path absent = directory.resolve("absent");
    assertEnds(
        ExitCode.LISTEN,
        "there is no directory " + absent + "; create it",
        "run",
        "--upstream=ldap://127.0.0.1:1",
        "--listen=ldapi://" + absent.resolve("ldapi").toString().replace("/", "%2F"));
  }

  @Test
  void takenPorts() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String there = "127.0.0.1:" + taken.getLocalPort();
      String upstream = "--upstream=ldap://127.0.0.1:1";
      String text = "cannot listen on " + there + ": address already in use";
      assertEnds(ExitCode.LISTEN, text, "run", upstream, "--listen=" + there);
      assertEnds(
          ExitCode.LISTEN, text, "run", upstream, "--listen=127.0.0.1:0", "--management=" + there);
    }
  }

  @Test
  void closedPortOfTheDirectory() {
    assertRuns("ldap://127.0.0.1:" + FreePort.next(), "WARN .*DOWN: connection refused");
  }

  @Test
  void untrustedCertificateOfTheDirectory() {
    try (Certificates certificates = Certificates.create();
        Slapd slapd = Slapd.start(People.slapd(1).tls(certificates, certificates.server()))) {
      assertRuns(
          slapd.ldapsUrl(), "WARN .*DOWN: server certificate is not trusted; set upstream.tls.ca");
    }
  }

  private Path configured(String text) throws IOException {
    return Files.writeString(directory.resolve("stoa.yaml"), text);
  }

  private static void assertEnds(ExitCode code, String text, Object... arguments) throws Exception {
    String[] words = new String[arguments.length];
    for (int i = 0; i < words.length; i++) {
      words[i] = arguments[i].toString();
    }
    try (CommandProcess process = CommandProcess.start(words)) {
      assertThat(process.awaitExit()).as(process.output()).isEqualTo(code.code());
      assertThat(process.output()).contains(text).doesNotContain(FOREIGN);
    }
  }

  private static void assertRuns(String upstream, String line) {
    try (CommandProcess process =
        CommandProcess.start(
            "run", "--upstream=" + upstream, "--listen=127.0.0.1:0", "--management=none")) {
      process.await(line);
      assertThat(process.output()).doesNotContain(FOREIGN);
    }
  }
}
