// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.CacheStats;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.Keys;

/** The page of the management listener, in Chromium. */
class PageIT {
  private static final int WIDE = 1280;
  private static final int NARROW = 400;
  private static final int SEARCHES = 20;

  /** Searches with different values, so that the sample of the ghost caches has some of them. */
  private static final int VALUES = 2_000;

  private static final String TOKEN = "0123456789abcdef";

  /** A base of a search that is markup. Stoa shows it as the client has sent it. */
  private static final String MARKUP =
      "ou=<img src=x onerror=document.title='run'>,dc=example,dc=com";

  @TempDir Path folder;

  private InMemoryDirectory directory;
  private StoaServer stoa;

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(10);
    stoa = start("", "", "ldap://127.0.0.1:" + directory.port());
  }

  private StoaServer start(String protection, String more, String server) throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("stoa.yaml"),
            """
            listen: ['127.0.0.1:0']
            management: {listen: '127.0.0.1:0'%s}
            eventLoops: 2
            cache: {maxAge: 1h}
            writes: {windows: [{name: people, subtree: 'ou=people,dc=example,dc=com', every: 200ms}]}
            upstream: {servers: ['%s']}
            %s
            """
                .formatted(protection, server, more));
    RuntimeConfiguration runtime = RuntimeConfiguration.of(file);
    StoaServer started = StoaServer.start(runtime.config(), runtime);
    try (RawLdapClient client = TestServers.rawClient(started)) {
      Await.until("results are stored", () -> hits(client, started) > 0);
    }
    started.proxy().adminCommands().caches().digests().reset();
    return started;
  }

  private static long hits(RawLdapClient client, StoaServer started) {
    client.call(Requests.search(InMemoryDirectory.SUFFIX).baseScope().request());
    return started.proxy().status().cache().filterHits();
  }

  @AfterEach
  void stop() {
    closeStoa();
    directory.close();
  }

  private void closeStoa() {
    if (stoa != null) {
      stoa.close();
      stoa = null;
    }
  }

  private String url(String scheme) {
    int port = Objects.requireNonNull(stoa.managementAddress()).getPort();
    return scheme + "://127.0.0.1:" + port + "/";
  }

  /** Searches of two patterns by two identities, and a bind that fails. */
  private void search() {
    try (RawLdapClient client = TestServers.rawClient(stoa)) {
      for (int i = 0; i < SEARCHES; i++) {
        client.call(
            Requests.search(InMemoryDirectory.PEOPLE)
                .filter("(uid=user." + i % 2 + ")")
                .attributes("cn")
                .request());
      }
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      client.call(Requests.search(InMemoryDirectory.GROUPS).filter("(cn=*)").request());
      client.call(Requests.search(MARKUP).filter("(cn=*)").request());
      assertThat(client.code(Requests.bind(InMemoryDirectory.person(2), "wrong"))).isEqualTo(49);
    }
  }

  private void searchForManyValues() {
    try (RawLdapClient client = TestServers.rawClient(stoa)) {
      for (int i = 0; i < VALUES; i++) {
        client.call(Requests.search(InMemoryDirectory.PEOPLE).filter("(mail=" + i + ")").request());
      }
    }
  }

  private static List<String> patterns(Browser browser) {
    return browser.texts("#digests tbody th");
  }

  @Test
  void thePageShowsWhatCnMonitorSays() {
    search();
    searchForManyValues();
    try (RawLdapClient client = TestServers.rawClient(stoa);
        Browser browser = Browser.open(WIDE, false)) {
      client.bind(InMemoryDirectory.person(3), InMemoryDirectory.PASSWORD);
      browser.show(url("http"));
      browser.awaitText("#readiness", "● ready");
      assertThat(browser.text("#process")).startsWith("Stoa ").contains(", up ");
      browser.awaitText("#servers tbody", "ldap://127.0.0.1:" + directory.port());
      assertThat(browser.text("#servers tbody")).contains("● UP", "primary", "health check passed");
      assertThat(browser.text("#feeds tbody")).contains("○ none", "1 h", "feed.bindDn is not set");
      assertThat(browser.text("#windows tbody")).contains("people", "● open", "200 ms");
      CacheStats cache = stoa.proxy().status().cache();
      assertThat(browser.text("#caches tbody"))
          .contains(
              String.format(
                  Locale.ROOT,
                  "Results of searches %,d 100,000 %.1f%% %,d %,d ",
                  cache.filterCurrent(),
                  cache.filterCurrent() / 1000.0,
                  cache.filterHits(),
                  cache.filterMisses()));
      browser.awaitText("#networks tbody", "127.0.0.1");
      assertThat(browser.text("#networks tbody"))
          .contains("1 (invalidCredentials 1)", InMemoryDirectory.person(3));
      browser.awaitText("#filter-curve", "400,000");
      assertThat(browser.text("#filter-curve"))
          .contains("25,000", "present size", "too few to rely on");
      assertThat(browser.complaints()).isEmpty();
      browser.takePicture("wide-light");
    }
  }

  @Test
  void aLiveFeedIsShownWithLeaseAndCoverage() throws Exception {
    closeStoa();
    Path password = Files.writeString(folder.resolve("password"), SlapdConfig.ROOT_PASSWORD + "\n");
    String feed = "feed: {bindDn: '%s', passwordFile: '%s'}".formatted(People.ROOT, password);
    try (Slapd slapd =
            Slapd.start(
                SlapdConfig.stock()
                    .module("syncprov")
                    .database(
                        People.SUFFIX, People.ACCESS + "overlay syncprov\n", People.tree(20)));
        Browser browser = Browser.open(WIDE, false)) {
      stoa = start("", feed, slapd.url());
      browser.show(url("http"));
      browser.awaitText("#feeds tbody", "● live");
      browser.await(
          "the lease has an age, beside its bound",
          "/\\d ms\\t1 s\\t\\d/.test(document.querySelector('#feeds tbody').innerText)");
      assertThat(browser.text("#feeds tbody")).contains(People.SUFFIX, slapd.url());
      browser.awaitText("#feeds tbody", "0 of 100 changes: the account cannot read cn=config");
      closeStoa();
    }
  }

  /** True while the legend of a chart shows a number above 0. */
  private static boolean isAboveZero(Browser browser, String chart, String name) {
    return Pattern.compile(name + " [1-9]").matcher(browser.text(chart + " .legend")).find();
  }

  @Test
  void ratesAndHitRatiosFollowTheTraffic() {
    try (Browser browser = Browser.open(WIDE, false)) {
      browser.show(url("http"));
      browser.awaitText("#rates", "Searches 0");
      Await.until(
          "the searches are in the charts",
          () -> {
            search();
            return isAboveZero(browser, "#rates", "Searches")
                && isAboveZero(browser, "#ratio", "Hit ratio")
                && browser.text("#latency .legend").contains("Hit p99 ≤ ")
                && browser.text("#binds .legend").contains("Bind p99 ≤ ");
          });
      browser.await(
          "the description has the values",
          "document.querySelector('#latency .plot').getAttribute('aria-label')"
              + ".startsWith('Latency of searches. Hit p50: ≤ ')");
      browser.await(
          "lines are drawn", "document.querySelector('#rates .plot path.series') !== null");
      browser.find("#minutes summary").click();
      browser.await(
          "a minute has its values", "document.querySelectorAll('#minutes tbody tr').length > 0");
    }
  }

  /** Only an earlier page can have made the point of a time before this page. */
  @Test
  void pointsOutliveAReload() {
    try (Browser browser = Browser.open(WIDE, false)) {
      browser.show(url("http"));
      browser.awaitText("#rates", "Searches 0");
      browser.run("sessionStorage.setItem('test', Date.now())");
      browser.reload();
      browser.await(
          "a point is earlier, and another one later",
          "(() => { dispatchEvent(new Event('pagehide'));"
              + " const test = Number(sessionStorage.getItem('test'));"
              + " const times = JSON.parse(sessionStorage.getItem('stoa.history'))"
              + ".points.map(point => point.time);"
              + " return times.some(time => time <= test) && times.some(time => time > test);"
              + " })()");
    }
  }

  /** Neither the focus nor the place of a reader is lost when new numbers come. */
  @Test
  void refreshesKeepTheFocus() {
    search();
    searchForManyValues();
    try (Browser browser = Browser.open(WIDE, false)) {
      browser.show(url("http"));
      browser.awaitText("#filter-curve", "400,000");
      browser.await("the patterns are shown", "document.querySelector('#digests tbody tr')");
      String note = browser.text("#filter-curve .note");
      String row = browser.text("#digests tbody tr:last-child");
      browser.run(
          "document.querySelector('#filter-curve tr:last-child').dataset.kept = 'yes';"
              + " document.querySelector('#rates .legend').dataset.kept = 'yes';"
              + " document.querySelector('#digests tbody tr:last-child button').focus()");
      for (int i = 0; i < SEARCHES; i++) {
        search();
      }
      searchForManyValues();
      browser.run(
          "document.getElementById('pause').click(); document.getElementById('pause').click()");
      Await.until("searches are read again", () -> !browser.texts("#digests tr").contains(row));
      Await.until("curves are read again", () -> !browser.text("#filter-curve .note").equals(note));
      assertThat(browser.run("return document.activeElement.matches('#digests tbody button')"))
          .isEqualTo(true);
      assertThat(browser.run("return document.querySelectorAll('[data-kept]').length"))
          .isEqualTo(2L);
    }
  }

  @Test
  void searchesAreSortedFilteredAndShownInDetail() {
    search();
    try (Browser browser = Browser.open(WIDE, false)) {
      browser.show(url("http"));
      browser.await(
          "three patterns are shown",
          "document.querySelectorAll('#digests tbody tr').length === 3");
      browser.find("#digests th[data-key=searches] button").click();
      assertThat(browser.find("#digests th[data-key=searches]").getAttribute("aria-sort"))
          .isEqualTo("descending");
      assertThat(patterns(browser).get(0)).isEqualTo("(uid=?) sub ou=people,dc=example,dc=com cn");
      browser.find("#digests th[data-key=searches] button").click();
      assertThat(browser.find("#digests th[data-key=searches]").getAttribute("aria-sort"))
          .isEqualTo("ascending");
      assertThat(patterns(browser).get(2)).isEqualTo("(uid=?) sub ou=people,dc=example,dc=com cn");
      browser.find("#filter").sendKeys("sub ou=people");
      assertThat(patterns(browser)).hasSize(1);
      assertThat(browser.text("#digest-count")).isEqualTo("1 of 3 patterns");
      browser.find("#digests tbody button").click();
      assertThat(browser.focused().getText()).startsWith("Pattern ");
      assertThat(browser.text("#digest dl"))
          .containsPattern("Hits\\s+18\\s+Joined\\s+0\\s+Misses\\s+2\\s")
          .contains("20 anonymous", "20 127.0.0.1");
      assertThat(browser.findAll("#digests tr[aria-current=true]")).hasSize(1);
      browser.find("#digest-back").click();
      assertThat(browser.focused().getText()).startsWith("(uid=?)");
      browser.find("#filter").clear();
      browser.find("#filter").sendKeys(InMemoryDirectory.person(1));
      assertThat(patterns(browser)).hasSize(2).noneMatch(one -> one.startsWith("(uid=?)"));
    }
  }

  @Test
  void textOfClientsIsNeverMarkup() {
    search();
    try (Browser browser = Browser.open(WIDE, false)) {
      browser.show(url("http"));
      browser.awaitText("#digests tbody", "onerror");
      assertThat(patterns(browser)).anyMatch(pattern -> pattern.contains("<img src=x onerror="));
      assertThat(browser.findAll("#digests img")).isEmpty();
      assertThat(browser.run("return document.title")).isEqualTo("Stoa");
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  void failuresOfServersAndOfStoaAreShown() {
    try (Browser browser = Browser.open(WIDE, true)) {
      browser.show(url("http"));
      browser.awaitText("#readiness", "● ready");
      String address = "127.0.0.1:" + directory.port();
      directory.close();
      browser.awaitText("#readiness", "not ready: ");
      browser.awaitText("#servers tbody", "✖ DOWN");
      browser.awaitText("#warning-list", address);
      browser.find("#pause").click();
      assertThat(browser.find("#pause").getAttribute("aria-pressed")).isEqualTo("true");
      assertThat(browser.text("#connection")).isEqualTo("Updates are paused.");
      browser.find("#pause").click();
      closeStoa();
      browser.awaitText("#connection", "✖ Stoa: no answer");
      assertThat(browser.text("#connection")).contains("The last reading was at ");
      browser.takePicture("down-dark");
    }
  }

  @Test
  void theTokenIsAskedForAndKeptInTheTabOnly() throws Exception {
    try (Certificates certificates = Certificates.create()) {
      closeStoa();
      Certificates.Pair own = certificates.server();
      Path token = Files.writeString(folder.resolve("token"), TOKEN);
      stoa =
          start(
              ", certificate: '%s', key: '%s', tokenFile: '%s'"
                  .formatted(own.certificate(), own.key(), token),
              "",
              "ldap://127.0.0.1:" + directory.port());
      try (Browser browser = Browser.open(NARROW, false)) {
        browser.show(url("https"));
        browser.awaitText("#login", "Token required");
        assertThat(browser.find("#content").isDisplayed()).isFalse();
        browser.find("#token").sendKeys("short" + Keys.ENTER);
        assertThat(browser.run("return document.getElementById('token').validity.valid"))
            .isEqualTo(false);
        browser.find("#token").clear();
        browser.find("#token").sendKeys("wrongwrongwrongwrong" + Keys.ENTER);
        browser.awaitText("#refusal", "This token is not valid.");
        assertThat(browser.violations()).isEmpty();
        browser.find("#token").sendKeys(TOKEN + Keys.ENTER);
        browser.awaitText("#servers tbody", "● UP");
        assertThat(browser.find("#login").isDisplayed()).isFalse();
        browser.reload();
        browser.awaitText("#servers tbody", "● UP");
        assertThat(browser.run("return location.href + document.cookie + localStorage.length"))
            .isEqualTo(url("https") + "0");
        Files.writeString(token, "fedcba9876543210");
        browser.awaitText("#refusal", "This token is not valid.");
        browser.find("#token").sendKeys("fedcba9876543210" + Keys.ENTER);
        browser.awaitText("#servers tbody", "● UP");
        browser.find("#forget").click();
        assertThat(browser.text("#login")).contains("Token required");
        assertThat(browser.run("return sessionStorage.getItem('stoa.token')")).isNull();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"1280, false", "1280, true", "400, false", "400, true"})
  void axeFindsNoViolation(int width, boolean dark) {
    search();
    searchForManyValues();
    try (Browser browser = Browser.open(width, dark)) {
      browser.show(url("http"));
      browser.awaitText("#filter-curve", "400,000");
      browser.awaitText("#networks tbody", "127.0.0.1");
      browser.await("the patterns are shown", "document.querySelector('#digests tbody button')");
      browser.find("#digests tbody button").click();
      browser.find("#minutes summary").click();
      browser.await("a minute is shown", "document.querySelector('#minutes tbody tr')");
      assertThat(browser.run("return matchMedia('(prefers-color-scheme: dark)').matches"))
          .isEqualTo(dark);
      assertThat(browser.violations()).isEmpty();
      assertThat(browser.run("return innerWidth")).isEqualTo((long) width);
      assertThat(browser.run("return document.documentElement.scrollWidth"))
          .as("nothing is wider than the window")
          .isEqualTo(browser.run("return document.documentElement.clientWidth"));
      browser.takePicture(width + (dark ? "-dark" : "-light"));
    }
  }

  @Test
  void theKeyboardReachesEverything() {
    search();
    try (Browser browser = Browser.open(NARROW, false)) {
      browser.show(url("http"));
      browser.await(
          "the patterns are shown", "document.querySelectorAll('#digests tbody tr').length === 3");
      browser.press(Keys.TAB);
      assertThat(browser.focused().getText()).isEqualTo("Skip to the content");
      browser.press(Keys.ENTER);
      assertThat(browser.focused().getAttribute("id")).isEqualTo("main");
      pressTabUntil(browser, "[data-key=searches] button");
      browser.press(Keys.ENTER);
      assertThat(browser.find("#digests th[data-key=searches]").getAttribute("aria-sort"))
          .isEqualTo("descending");
      pressTabUntil(browser, "#digests tbody button");
      browser.press(Keys.SPACE);
      assertThat(browser.focused().getAttribute("id")).isEqualTo("digest-title");
      assertThat(browser.text("#digest dl")).contains("(uid=?)");
    }
  }

  private static void pressTabUntil(Browser browser, String css) {
    for (int i = 0; i < 60; i++) {
      browser.press(Keys.TAB);
      if (Boolean.TRUE.equals(
          browser.run("return document.activeElement.matches(arguments[0])", css))) {
        return;
      }
    }
    throw new AssertionError("the keyboard does not reach " + css);
  }
}
