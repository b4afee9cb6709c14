// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldif.LDIFChangeRecord;
import com.unboundid.ldif.LDIFReader;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.LdapCommand.Output;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The audit log names each administrator's action, and each refused administrator. */
class AuditLogIT {
  private static final String DN = "cn=admin,cn=configuration";
  private static final String PASSWORD = "correct horse";
  private static final String WRONG = "wrong-secret";
  private static final String CACHES = "cn=Caches,cn=Monitor";
  private static final String STOA = "cn=Stoa,cn=Configuration";
  private static final String TCP = "from=127\\.0\\.0\\.1:\\d+ ";
  private static final String LOCAL = "from=\"a local socket \\(uid \\d+, gid \\d+, pid \\d+\\)\" ";

  @TempDir Path folder;

  private InMemoryDirectory directory;
  private StoaServer stoa;

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(5);
    Path file =
        Files.writeString(
            folder.resolve("stoa.yaml"),
            """
            listen: ['127.0.0.1:0', 'ldapi://%s']
            management: {listen: none}
            eventLoops: 2
            admin: {passwordHash: '%s'}
            log: {audit: {destination: '%s'}}
            upstream: {servers: ['ldap://127.0.0.1:%d']}
            """
                .formatted(
                    socket(),
                    PasswordHash.of(PASSWORD.getBytes(UTF_8)).print(),
                    log(),
                    directory.port()));
    RuntimeConfiguration runtime = RuntimeConfiguration.of(file);
    stoa = StoaServer.start(runtime.config(), runtime);
    Await.until("Stoa is ready", () -> stoa.proxy().status().ready());
  }

  @AfterEach
  void stop() {
    stoa.close();
    directory.close();
  }

  private Path log() {
    return folder.resolve("audit.ldif");
  }

  private String socket() {
    return folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  /** Runs a command of OpenLDAP as the local user. */
  private Output local(String command, String... more) {
    List<String> words =
        new ArrayList<>(List.of(command, "-Q", "-Y", "EXTERNAL", "-H", "ldapi://" + socket()));
    words.addAll(List.of(more));
    return LdapCommand.run(Map.of(), words.toArray(String[]::new));
  }

  private void awaitRecord(String header, String... lines) {
    String record =
        "(?m)^# \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z administration "
            + header
            + "$\n"
            + String.join("\n", lines)
            + "\n\n";
    Await.until(record, () -> Pattern.compile(record).matcher(Files.readString(log())).find());
  }

  private static String header(String identity, String from, int result) {
    return "identity=\"" + identity + "\" " + from + "client=\\d+ op=\\d+ result=" + result;
  }

  /** True if no record of the log would be replayed. */
  private void assertNothingToReplay() throws Exception {
    try (LDIFReader reader = new LDIFReader(log().toFile())) {
      LDIFChangeRecord record = reader.readChangeRecord();
      assertThat(record).isNull();
    }
  }

  @Test
  void anActionNamesTheAdministratorAndItsAddress() throws Exception {
    try (RawLdapClient client = TestServers.rawClient(stoa).bind(DN, PASSWORD)) {
      assertThat(client.code(AdministeredServer.request(CACHES, "flush"))).isZero();
      assertThat(client.code(AdministeredServer.request(CACHES, "unknown"))).isPositive();
      assertThat(client.code(Requests.replace(STOA, "stoa-cache-maxAge", "1h"))).isZero();
    }
    String[] flush = {"# dn: " + CACHES, "# changetype: modify", "# add: stoaAction"};
    awaitRecord(header(DN, TCP, 0), flush[0], flush[1], flush[2], "# stoaAction: flush", "# -");
    awaitRecord(header(DN, TCP, 21), flush[0], flush[1], flush[2], "# stoaAction: unknown", "# -");
    awaitRecord(
        header(DN, TCP, 0),
        "# dn: " + STOA,
        "# changetype: modify",
        "# replace: stoa-cache-maxAge",
        "# stoa-cache-maxAge: 1h",
        "# -");
    awaitRecord(header(DN, TCP, 0), "# bind method=simple dn=\"" + DN + "\"");
    assertNothingToReplay();
  }

  @Test
  void aTraceNamesTheAdministrator() throws Exception {
    String trace = "cn=Trace,cn=Monitor";
    try (RawLdapClient client = TestServers.rawClient(stoa).bind(DN, PASSWORD)) {
      assertThat(client.code(search(trace).filter("(objectClass=*)").timeLimit(1).request()))
          .isZero();
    }
    awaitRecord(header(DN, TCP, 0), "# search dn=\"" + trace + "\"");
    assertNothingToReplay();
  }

  @Test
  void aLocalAdministratorIsNamedByItsUser() throws Exception {
    Path change =
        Files.writeString(
            folder.resolve("flush.ldif"),
            "dn: " + CACHES + "\nchangetype: modify\nadd: stoaAction\nstoaAction: flush\n");
    Output done = local("ldapmodify", "-f", change.toString());
    assertThat(done.code()).as(done.text()).isZero();
    awaitRecord(
        header(DN, LOCAL, 0),
        "# dn: " + CACHES,
        "# changetype: modify",
        "# add: stoaAction",
        "# stoaAction: flush",
        "# -");
    assertThat(local("ldapwhoami", "-X", "dn:cn=other").code()).isEqualTo(49);
    awaitRecord(header("", LOCAL, 49), "# bind method=EXTERNAL dn=\"\"");
    assertNothingToReplay();
  }

  @Test
  void refusedAdministratorsAreLoggedWithoutTheirPasswords() throws Exception {
    try (RawLdapClient client = TestServers.rawClient(stoa)) {
      assertThat(client.code(Requests.bind(DN, WRONG))).isEqualTo(49);
      assertThat(client.code(AdministeredServer.request(CACHES, "flush"))).isEqualTo(50);
      assertThat(client.code(Requests.search(STOA).baseScope().request())).isEqualTo(50);
      assertThat(
              client.code(
                  Requests.modify(
                      STOA,
                      new Modification(
                          ModificationType.REPLACE, "stoa-admin-passwordHash", WRONG))))
          .isEqualTo(50);
    }
    awaitRecord(header("", TCP, 49), "# bind method=simple dn=\"" + DN + "\"");
    awaitRecord(
        header("", TCP, 50),
        "# dn: " + CACHES,
        "# changetype: modify",
        "# add: stoaAction",
        "# stoaAction: flush",
        "# -");
    awaitRecord(header("", TCP, 50), "# search dn=\"" + STOA + "\"");
    awaitRecord(
        header("", TCP, 50),
        "# dn: " + STOA,
        "# changetype: modify",
        "# # replace: stoa-admin-passwordHash, values hidden");
    assertThat(Files.readString(log())).doesNotContain(WRONG);
    assertNothingToReplay();
  }

  @Test
  void writesOfClientsAreNoAdministration() throws Exception {
    try (RawLdapClient client =
        TestServers.rawClient(stoa)
            .bind(InMemoryDirectory.ROOT_DN, InMemoryDirectory.ROOT_PASSWORD)) {
      assertThat(client.code(Requests.replace(InMemoryDirectory.person(1), "description", "new")))
          .isZero();
    }
    Await.until("the write", () -> Files.readString(log()).contains("\ndescription: new\n"));
    assertThat(Files.readString(log())).doesNotContain("administration");
  }
}
