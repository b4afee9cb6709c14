// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.GuideShell;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guide for slow logins, step by step: an application looks its users up by mail, which has no
 * index, and the cache is too small.
 */
class SlowLoginsIT {
  private static final int PEOPLE = 20_000;
  private static final int USERS = 400;
  private static final int LOGINS = 2_500;
  private static final Path PACKED = Path.of("target/dist/stoa").toAbsolutePath();

  /** The application that is slow, and another one. */
  private static final String PORTAL = "127.0.0.7";

  private static final String MAIL_SERVER = "127.0.0.8";

  @TempDir Path folder;

  private Slapd slapd;
  private StoaServer stoa;
  private final Random random = new Random(1);

  @BeforeEach
  void start() throws Exception {
    slapd =
        Slapd.start(
            SlapdConfig.stock()
                .global("database config\nrootpw " + SlapdConfig.ROOT_PASSWORD)
                .database(People.SUFFIX, People.ACCESS, People.tree(PEOPLE)));
    Path file =
        Files.writeString(
            folder.resolve("stoa.yaml"),
            """
            listen: ['127.0.0.1:0', 'ldapi://%s']
            management: {listen: '127.0.0.1:0'}
            eventLoops: 2
            admin: {passwordHash: '%s', changes: '%s'}
            cache: {maxAge: 1h, filterCacheSize: 100}
            upstream: {servers: ['ldap://127.0.0.1:%d']}
            """
                .formatted(
                    socket(),
                    PasswordHash.of("x".getBytes(UTF_8)).print(),
                    folder.resolve("changes.yaml"),
                    slapd.port()));
    RuntimeConfiguration runtime = RuntimeConfiguration.of(file);
    stoa = StoaServer.start(runtime.config(), runtime);
    Await.until("Stoa is ready", () -> stoa.proxy().status().ready());
  }

  private String socket() {
    return folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  @AfterEach
  void stop() {
    stoa.close();
    slapd.close();
  }

  /** Logins of users, few of whom log in often: a search by mail, then a bind. */
  private void logIn(int logins) {
    try (RawLdapClient portal = RawLdapClient.from(PORTAL, stoa.addresses().get(0));
        RawLdapClient mailServer = RawLdapClient.from(MAIL_SERVER, stoa.addresses().get(0))) {
      portal.bind(People.dn(0), People.PASSWORD);
      for (int i = 0; i < logins; i++) {
        int user = random.nextInt(1 + random.nextInt(USERS));
        find(portal, "(mail=user." + user + "@example.com)");
        find(mailServer, "(uid=user." + user + ")");
        if (i % 10 == 0) {
          try (RawLdapClient login = RawLdapClient.from(PORTAL, stoa.addresses().get(0))) {
            login.bind(People.dn(user), People.PASSWORD);
          }
        }
      }
    }
  }

  private static void find(RawLdapClient client, String filter) {
    assertThat(
            client.code(Requests.search(People.PEOPLE).filter(filter).attributes("cn").request()))
        .isZero();
  }

  @Test
  void theGuideLeadsToIndexClientAndCacheSize() throws Exception {
    long start = System.nanoTime();
    logIn(LOGINS);
    System.err.println("logins " + (System.nanoTime() - start) / 1e9);
    try (GuideShell shell = new GuideShell(Map.of("10.0.0.7", PORTAL), "bash")) {
      shell.run("export STOACTL_URI=ldapi://" + socket());
      shell.run("export PATH=" + PACKED + "/bin:$PATH");
      shell
          .run(
              "ldapmodify -x -H "
                  + slapd.url()
                  + " -D cn=config -w "
                  + SlapdConfig.ROOT_PASSWORD
                  + " <<'EOF'\ndn: olcDatabase={1}mdb,cn=config\nchangetype: modify\nadd: olcDbIndex\nolcDbIndex: mail eq\nEOF")
          .forEach(System.err::println);
      for (int i = 0; i < 4; i++) {
        long s2 = System.nanoTime();
        logIn(3000);
        System.err.println("logins " + (System.nanoTime() - s2) / 1e9);
        shell.run("stoactl advise --json").forEach(System.err::println);
        shell.run("stoactl cache stats").forEach(System.err::println);
      }
      for (String c :
          List.of(
              "stoactl top --count 2 --interval 1",
              "stoactl digests list --limit 3",
              "stoactl advise",
              "stoactl clients networks")) {
        System.err.println("$ " + c);
        shell.run(c).forEach(System.err::println);
      }
    }
  }
}
