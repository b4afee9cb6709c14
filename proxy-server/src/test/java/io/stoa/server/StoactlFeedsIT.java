// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What stoactl tells of feeds, and has compared with the directory. */
class StoactlFeedsIT {
  private static final String CONFIG =
      """
      upstream:
        servers: ['%s']
      management: {listen: '127.0.0.1:%d'}
      feed: {bindDn: '%s', passwordFile: '%s', assumeCoverage: true}
      cache: {maxAge: 1h, maxAclStaleness: 1h, auditPerSecond: 0%s}
      admin: {passwordHash: '%s'}
      """;

  private static final String WITHOUT_FEED =
      """
      upstream:
        servers: ['%s']
      management: {listen: '127.0.0.1:%d'}
      feed: {mode: none}
      cache: {maxAge: 7s}
      admin: {passwordHash: '%s'}
      """;

  private static final String CLASS =
      ", classes: [{name: apps, members: ['%s', '%s'], base: '%s'}]"
          .formatted(People.dn(1), People.dn(2), People.PEOPLE);

  private static final String ACCESS =
      """
      access to attrs=userPassword by anonymous auth by * none
      access to attrs=mail by dn.exact="%s" none by * read
      access to * by * read
      """
          .formatted(People.dn(2));

  private static final String SYNCPROV =
      """
      overlay syncprov
      syncprov-sessionlog 1000
      """;

  private final int management = FreePort.next();

  @TempDir Path directory;

  private String uri() {
    return "ldapi://" + directory.resolve("ldapi").toString().replace("/", "%2F");
  }

  private Outcome stoactl(String... arguments) {
    return StoaUnderLoad.stoactl(Map.of("STOACTL_URI", uri()), arguments);
  }

  private JSONObject json(String... arguments) {
    Outcome outcome =
        stoactl(Stream.concat(Stream.of(arguments), Stream.of("--json")).toArray(String[]::new));
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return StoaUnderLoad.parse(outcome.out());
  }

  /** What was found, whatever that was. */
  private JSONObject verify() {
    return StoaUnderLoad.parse(stoactl("audit", "--json").out());
  }

  private StoaProcess start(Slapd slapd, String more) throws IOException {
    Path password = directory.resolve("password");
    Files.writeString(password, SlapdConfig.ROOT_PASSWORD + "\n");
    return StoaProcess.configured(
        CONFIG.formatted(slapd.url(), management, People.ROOT, password, more, hash()), uri());
  }

  /** Those that hold, as the metrics have them. */
  private List<String> states() {
    InetSocketAddress listener =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), management);
    return HttpExchange.get(listener, "/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("stoa_feed_state{") && line.endsWith(" 1.0"))
        .toList();
  }

  /** It is live, and what it has begun with has settled. */
  private boolean isLeased() {
    JSONObject feed = json("feeds", "show", People.SUFFIX);
    return "live".equals(feed.getFieldAsString("state")) && number(feed, "leaseMillis") >= 0;
  }

  private static String state(String word) {
    return "stoa_feed_state{context=\"" + People.SUFFIX + "\",state=\"" + word + "\"} 1.0";
  }

  private static String hash() {
    return PasswordHash.of("secret".getBytes(UTF_8)).print();
  }

  @Test
  void feedsAreListedAndTheirResultsVerified() throws IOException {
    SlapdConfig config =
        SlapdConfig.stock().module("syncprov").database(People.SUFFIX, SYNCPROV, People.tree(20));
    try (Slapd slapd = Slapd.start(config);
        StoaProcess stoa = start(slapd, "")) {
      Await.until("answers rest on the feed", this::isLeased);
      JSONObject feed = (JSONObject) json("feeds", "list").getFieldAsArray("feeds").get(0);
      assertThat(feed.getFieldAsString("name")).isEqualTo(People.SUFFIX);
      assertThat(feed.getFieldAsString("mode")).isEqualTo("syncrepl");
      assertThat(feed.getFieldAsLong("boundMillis")).isEqualTo(1000);
      assertThat(feed.getFieldAsArray("position")).isNotEmpty();
      assertThat(stoactl("feeds", "list").out()).contains(People.SUFFIX, "live");

      assertThat(states()).containsExactly(state("live"));

      Outcome unknown = stoactl("feeds", "show", "dc=nowhere");
      assertThat(unknown.code()).isEqualTo(StoactlExitCode.REFUSED.code());
      assertThat(unknown.err()).contains("there is no feed for dc=nowhere");

      assertCompared(stoa);
      assertUncomparedWithoutAClient();
    }
  }

  private void assertCompared(StoaProcess stoa) {
    try (RawLdapClient client = stoa.client().bind(People.dn(1), People.PASSWORD)) {
      client.code(People.find(3));
      Await.until("it is held by the feed", this::isHeldByTheFeed);
      Await.until("it is compared", () -> number(verify(), "equal") == 1);
      Await.until("all is as it should be", () -> stoactl("audit").code() == 0);
      JSONObject found = verify();
      assertThat(List.of(number(found, "results"), number(found, "differing")))
          .containsExactly(1L, 0L);
      assertThat(found.getFieldAsString("state")).isEqualTo("done");
    }
  }

  /** Rights are not watched here: an answer rests on the feed for cache.maxAclStaleness. */
  private boolean isHeldByTheFeed() {
    String[] explain = {
      "cache",
      "explain",
      People.PEOPLE,
      "sub",
      "(uid=user.3)",
      "uid",
      "cn",
      "mail",
      "--as",
      People.dn(1)
    };
    JSONObject explained = json(explain);
    boolean held = "feed".equals(explained.getFieldAsString("heldBy"));
    if (held) {
      assertThat(number(explained, "keptMillis")).isBetween(1L, 3_600_000L);
      assertThat(stoactl(explain).out()).contains("held by the change feed until it changes");
    }
    return held;
  }

  /** The client has gone: of what it was given nobody can say whether it is right. */
  private void assertUncomparedWithoutAClient() {
    Await.until(
        "it cannot be compared",
        () -> isNotCompared("1 of 1 results could not be compared: for 1 no client"));
    JSONObject found = verify();
    assertThat(
            List.of(
                number(found, "results"),
                number(found, "compared"),
                number(found, "uncompared"),
                number(found, "withoutClient")))
        .containsExactly(1L, 0L, 1L, 1L);
  }

  private boolean isNotCompared(String why) {
    Outcome outcome = stoactl("audit");
    return outcome.code() == StoactlExitCode.UNCOMPARED.code() && outcome.err().contains(why);
  }

  @Test
  void aContextWithoutAFeedIsListedWithItsReason() throws IOException {
    SlapdConfig config = SlapdConfig.stock().database(People.SUFFIX, "", People.tree(1));
    try (Slapd slapd = Slapd.start(config);
        StoaProcess stoa =
            StoaProcess.configured(
                WITHOUT_FEED.formatted(slapd.url(), management, hash()), uri())) {
      Await.until(
          "the directory is known", () -> stoactl("feeds", "show", People.SUFFIX).code() == 0);
      JSONObject none = (JSONObject) json("feeds", "list").getFieldAsArray("feeds").get(0);
      assertThat(none.getFieldAsString("name")).isEqualTo(People.SUFFIX);
      assertThat(none.getFieldAsString("mode")).isEqualTo("none");
      assertThat(none.getFieldAsLong("boundMillis")).isEqualTo(7000);
      assertThat(none.getFieldAsString("reason")).isEqualTo("feed.mode is none");
      assertThat(stoactl("feeds", "list").out()).contains(People.SUFFIX + "  none");
      assertThat(states()).containsExactly(state("none"));
      assertThat(json("classes", "list").getFieldAsArray("classes")).isEmpty();
      assertThat(isNotCompared("nothing was compared: no feed is live")).isTrue();
    }
  }

  /** The second member is given less than the first: so is said as soon as somebody looks. */
  @Test
  void aMismatchSetsTheExitCodeAndAClassIsRestored() throws IOException {
    SlapdConfig config =
        SlapdConfig.stock()
            .module("syncprov")
            .database(People.SUFFIX, ACCESS + SYNCPROV, People.tree(20));
    try (Slapd slapd = Slapd.start(config);
        StoaProcess stoa = start(slapd, CLASS);
        RawLdapClient one = stoa.client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient two = stoa.client().bind(People.dn(2), People.PASSWORD)) {
      Await.until("answers rest on the feed", this::isLeased);
      assertThat(restore()).isEqualTo(StoactlExitCode.REFUSED.code());
      assertTheClassIsListed();
      two.call(Requests.search(People.SUFFIX).baseScope().request());
      one.call(People.find(3));
      Await.until(
          "it is found to differ", () -> stoactl("audit").code() == StoactlExitCode.DIFFERS.code());
      assertThat(number(json("feeds", "show", People.SUFFIX), "incoherent")).isPositive();
      Await.until("it is demoted", () -> "demoted".equals(apps().getFieldAsString("state")));
      assertThat(stoactl("classes", "list").out()).containsPattern("apps +demoted");
      assertThat(List.of(number(apps(), "differences"), number(apps(), "demotions")))
          .allMatch(count -> count > 0);
      assertThat(restore()).isZero();
      assertThat(restore()).isEqualTo(StoactlExitCode.REFUSED.code());
      Await.until(
          "its members share again, so that it is demoted again",
          () -> {
            one.call(People.find(3));
            two.call(People.find(3));
            return restore() == 0;
          });
    }
  }

  private void assertTheClassIsListed() {
    assertThat(apps().getFieldAsString("state")).isEqualTo("sharing");
    assertThat(stoactl("classes", "list").out()).containsPattern("apps +sharing");
    Outcome unknown = stoactl("classes", "show", "nobody");
    assertThat(unknown.code()).isEqualTo(StoactlExitCode.REFUSED.code());
    assertThat(unknown.err()).contains("there is no sharing class nobody");
  }

  private JSONObject apps() {
    return json("classes", "show", "apps");
  }

  private int restore() {
    return stoactl("cache", "restore", "apps").code();
  }

  private static long number(JSONObject json, String field) {
    Long number = json.getFieldAsLong(field);
    return number == null ? -1 : number;
  }
}
