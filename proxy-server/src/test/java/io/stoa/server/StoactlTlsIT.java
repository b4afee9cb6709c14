// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cli.client.StoactlExitCode;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;
import io.stoa.testing.InMemoryDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code stoactl} with a Stoa that is far away: TLS, a password, and certificates of both. */
class StoactlTlsIT {
  private static final String PASSWORD = "correct horse";

  private Certificates certificates;
  private InMemoryDirectory directory;
  private StoaProcess stoa;
  private String ldaps;

  @BeforeEach
  void start() {
    certificates = Certificates.create();
    directory = InMemoryDirectory.start(1);
    ldaps = "ldaps://127.0.0.1:" + FreePort.next();
  }

  @AfterEach
  void stop() {
    stoa.close();
    directory.close();
    certificates.close();
  }

  private void start(String clientAuth) {
    Certificates.Pair own = certificates.server();
    stoa =
        StoaProcess.configured(
            """
            upstream:
              servers: ['ldap://127.0.0.1:%d']
            management: {listen: none}
            tls: {certificate: %s, key: %s, clientCa: %s, clientAuth: %s, requireTls: true}
            admin: {passwordHash: '%s'}
            """
                .formatted(
                    directory.port(),
                    own.certificate(),
                    own.key(),
                    certificates.ca(),
                    clientAuth,
                    PasswordHash.of(PASSWORD.getBytes(UTF_8)).print()),
            ldaps);
  }

  private String ldap() {
    return "ldap://127.0.0.1:" + stoa.address().getPort();
  }

  private Outcome status(String url, String... more) {
    List<String> words = new ArrayList<>(List.of("status", "-H", url));
    words.addAll(List.of("--ca", certificates.ca().toString()));
    words.addAll(List.of(more));
    return StoaUnderLoad.stoactl(
        Map.of("STOACTL_PASSWORD", PASSWORD), words.toArray(String[]::new));
  }

  private static void assertReady(Outcome outcome) {
    assertThat(outcome.code()).as(outcome.err()).isZero();
    assertThat(outcome.out()).contains("state       ready");
  }

  private static void assertFails(Outcome outcome, StoactlExitCode code, String message) {
    assertThat(outcome.code()).as(outcome.err()).isEqualTo(code.code());
    assertThat(outcome.err().lines()).first().asString().contains(message);
  }

  @Test
  void aPasswordGoesThroughTls() {
    start("none");
    assertReady(status(ldaps));
    assertReady(status(ldap(), "-ZZ"));
    assertReady(status(ldap(), "-Z"));
    assertFails(status(ldap()), StoactlExitCode.REFUSED, "confidentiality required (13)");
  }

  @Test
  void aRequiredClientCertificateIsSent() {
    start("require");
    Certificates.Pair own = certificates.client("cn=operator");
    String[] shown = {"--cert", own.certificate().toString(), "--key", own.key().toString()};
    assertReady(status(ldaps, shown));
    assertThat(status(ldaps).code()).isEqualTo(StoactlExitCode.UNREACHABLE.code());
    assertFails(
        status(ldaps, "--cert", own.certificate().toString()),
        StoactlExitCode.USAGE,
        "must be used together");
    String[] swapped = {"--cert", own.key().toString(), "--key", own.certificate().toString()};
    assertFails(status(ldaps, swapped), StoactlExitCode.USAGE, "has no CERTIFICATE in PEM form");
  }
}
