// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.GuideShell;
import io.stoa.testing.GuideStep;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guide to slow logins, with stoactl and with the page, while people log in. A portal looks its
 * users up by mail, which has no index, and the cache is too small.
 */
class SlowLoginsIT {
  private static final String GUIDE = "docs/guides/slow-logins.md";
  private static final int PEOPLE = 20_000;
  private static final int USERS = 400;
  private static final Path PACKED = Path.of("target/dist/stoa").toAbsolutePath();
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Time between two logins, so that the tools have a processor: 0.5 ms. */
  private static final long PAUSE_NANOS = 500_000;

  /** Hit ratio after the change: before it was a third, and afterwards four fifths. */
  private static final double MIN_RATIO = 0.6;

  private static final String PORTAL = "127.0.0.7";
  private static final String MAIL_SERVER = "127.0.0.8";

  @TempDir Path folder;

  private final Random random = new Random(1);
  private Slapd slapd;
  private StoaServer stoa;
  private volatile boolean over;
  private CompletableFuture<Void> logins;

  @BeforeEach
  void start() throws Exception {
    slapd =
        Slapd.start(
            SlapdConfig.stock()
                .global("database config\nrootpw " + SlapdConfig.ROOT_PASSWORD)
                .database(People.SUFFIX, People.ACCESS, People.tree(PEOPLE)));
    Files.writeString(folder.resolve("config-password"), SlapdConfig.ROOT_PASSWORD);
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
    logins = CompletableFuture.runAsync(this::logIn);
  }

  private String socket() {
    return folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  @AfterEach
  void stop() {
    over = true;
    try {
      logins.join();
    } finally {
      stoa.close();
      slapd.close();
    }
  }

  private RawLdapClient from(String host) {
    return RawLdapClient.from(host, stoa.addresses().get(0));
  }

  /** Users log in, few of them often: a search by mail, then a bind. Mail arrives for them, too. */
  private void logIn() {
    try (RawLdapClient portal = from(PORTAL);
        RawLdapClient login = from(PORTAL);
        RawLdapClient mailServer = from(MAIL_SERVER)) {
      portal.bind(People.dn(0), People.PASSWORD);
      while (!over) {
        int user = random.nextInt(1 + random.nextInt(USERS));
        find(portal, "(mail=user." + user + "@example.com)");
        login.bind(People.dn(user), People.PASSWORD);
        find(mailServer, "(uid=user." + user + ")");
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private static void find(RawLdapClient client, String filter) {
    assertThat(
            client.code(Requests.search(People.PEOPLE).filter(filter).attributes("cn").request()))
        .isZero();
  }

  private GuideShell shell() throws IOException {
    GuideShell shell =
        new GuideShell(
            Map.of(
                "10.0.0.7",
                PORTAL,
                "ldap://ldap1.example.com",
                slapd.url(),
                "/etc/stoa/config-password",
                folder.resolve("config-password").toString()),
            "bash");
    shell.run("export STOACTL_URI=ldapi://" + socket() + " PATH=" + PACKED + "/bin:$PATH");
    return shell;
  }

  /** Runs a step of the guide. Commands that only read are repeated until they show its lines. */
  private void run(GuideStep step, GuideShell shell) throws IOException {
    String[] last = {""};
    if (changes(step)) {
      step.compare(shell.run(step.command()));
    } else {
      try {
        Await.until(
            step.command(),
            PATIENCE,
            () -> {
              assertThat(logins).isNotCompletedExceptionally();
              List<String> lines = shell.run(step.command());
              last[0] = String.join("\n", lines);
              return step.matches(lines);
            });
      } catch (AssertionError e) {
        throw new AssertionError(step + " prints " + last[0], e);
      }
    }
    assertThat(shell.code()).as(step.command() + last[0]).isZero();
  }

  private static boolean changes(GuideStep step) {
    return step.command().contains(" set ")
        || step.command().endsWith(" reset")
        || step.command().startsWith("ldapmodify");
  }

  @Test
  void theGuideLeadsToSearchClientIndexAndCacheSize() throws IOException {
    List<GuideStep> steps = GuideStep.of(GUIDE);
    assertThat(steps.stream().filter(SlowLoginsIT::changes)).hasSize(3);
    try (GuideShell shell = shell();
        Browser browser = Browser.open(1280, false)) {
      browser.show("http:/" + Objects.requireNonNull(stoa.managementAddress()) + "/");
      for (GuideStep step : steps) {
        if (step.command().startsWith("ldapmodify")) {
          thePageNamesSearchClientAndIndex(browser);
        }
        run(step, shell);
      }
      Await.until("most searches by mail are hits", () -> hitRatioByMail(shell) > MIN_RATIO);
      browser.reload();
      browser.awaitText("#filter-curve", "present size");
      assertThat(browser.text("#advice-list")).doesNotContain("index: mail");
    }
  }

  private static double hitRatioByMail(GuideShell shell) throws IOException {
    String printed = String.join("", shell.run("stoactl digests list --json"));
    return StoaUnderLoad.parse(printed).getFieldAsArray("digests").stream()
        .map(JSONObject.class::cast)
        .filter(digest -> "(mail=?)".equals(digest.getFieldAsString("filter")))
        .map(digest -> digest.getFieldAsBigDecimal("hitRatio"))
        .mapToDouble(ratio -> ratio == null ? 0 : ratio.doubleValue())
        .sum();
  }

  private static void thePageNamesSearchClientAndIndex(Browser browser) {
    browser.awaitText("#digests tbody tr:first-child", "(mail=?)");
    browser.find("#digests tbody tr:first-child button").click();
    browser.awaitText("#digest dl", PORTAL);
    browser.reload();
    browser.awaitText("#advice-list", "index: mail");
    assertThat(browser.text("#advice-list")).contains("slapd: olcDbIndex: mail eq");
    browser.takePicture("slow-logins");
  }
}
