// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.cli.client.ExitCode;
import io.stoa.server.SteeredStoa.Outcome;
import io.stoa.server.administrator.PasswordHash;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
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
      upstreams: ['%s']
      management: {listen: none}
      feed: {bindDn: '%s', passwordFile: '%s', seesAll: true}
      cache: {maxAge: 1h, maxAclStaleness: 1h, auditPerSecond: 0%s}
      admin: {passwordHash: '%s'}
      """;

  private static final String UNFED =
      """
      upstreams: ['%s']
      management: {listen: none}
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

  @TempDir Path directory;

  private String uri() {
    return "ldapi://" + directory.resolve("ldapi").toString().replace("/", "%2F");
  }

  private Outcome stoactl(String... arguments) {
    return SteeredStoa.stoactl(Map.of("STOACTL_URI", uri()), arguments);
  }

  private JSONObject json(String... arguments) {
    Outcome outcome =
        stoactl(Stream.concat(Stream.of(arguments), Stream.of("--json")).toArray(String[]::new));
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return SteeredStoa.parse(outcome.out());
  }

  private StoaProcess start(Slapd slapd, String more) throws IOException {
    Path password = directory.resolve("password");
    Files.writeString(password, SlapdConfig.ROOT_PASSWORD + "\n");
    return StoaProcess.configured(
        CONFIG.formatted(slapd.url(), People.ROOT, password, more, hash()), uri());
  }

  private static String hash() {
    return PasswordHash.of("secret".getBytes(UTF_8)).print();
  }

  @Test
  void feedsAreShownAndWhatRestsOnThemIsCompared() throws IOException {
    SlapdConfig config =
        SlapdConfig.stock().module("syncprov").database(People.SUFFIX, SYNCPROV, People.tree(20));
    try (Slapd slapd = Slapd.start(config);
        StoaProcess stoa = start(slapd, "");
        RawLdapClient client = stoa.client().bind(People.dn(1), People.PASSWORD)) {
      Await.until(
          "the feed is live",
          () -> "live".equals(json("feeds", "show", People.SUFFIX).getFieldAsString("state")));
      JSONObject feed = (JSONObject) json("feeds", "list").getFieldAsArray("feeds").get(0);
      assertThat(feed.getFieldAsString("name")).isEqualTo(People.SUFFIX);
      assertThat(feed.getFieldAsString("mode")).isEqualTo("syncrepl");
      assertThat(feed.getFieldAsLong("boundMillis")).isEqualTo(1000);
      assertThat(feed.getFieldAsArray("position")).isNotEmpty();
      assertThat(stoactl("feeds", "list").out()).contains(People.SUFFIX, "live");

      Outcome unknown = stoactl("feeds", "show", "dc=nowhere");
      assertThat(unknown.code()).isEqualTo(ExitCode.REFUSED.code());
      assertThat(unknown.err()).contains("there is no feed of dc=nowhere");

      client.code(People.find(3));
      Await.until("it is compared", () -> number(json("verify"), "verified") == 1);
      JSONObject found = json("verify");
      assertThat(List.of(number(found, "results"), number(found, "differing")))
          .containsExactly(1L, 0L);
      assertThat(found.getFieldAsString("state")).isEqualTo("done");
    }
  }

  @Test
  void whatHasNoFeedIsListedWithTheReason() throws IOException {
    SlapdConfig config = SlapdConfig.stock().database(People.SUFFIX, "", People.tree(1));
    try (Slapd slapd = Slapd.start(config);
        StoaProcess stoa = StoaProcess.configured(UNFED.formatted(slapd.url(), hash()), uri())) {
      Await.until(
          "the directory is known", () -> stoactl("feeds", "show", People.SUFFIX).code() == 0);
      JSONObject none = (JSONObject) json("feeds", "list").getFieldAsArray("feeds").get(0);
      assertThat(none.getFieldAsString("name")).isEqualTo(People.SUFFIX);
      assertThat(none.getFieldAsString("mode")).isEqualTo("none");
      assertThat(none.getFieldAsLong("boundMillis")).isEqualTo(7000);
      assertThat(none.getFieldAsString("reason")).isEqualTo("feed.mode is none");
      assertThat(stoactl("feeds", "list").out()).contains(People.SUFFIX + "  none");
    }
  }

  /** The second member is given less than the first: so is said as soon as somebody looks. */
  @Test
  void whatDiffersIsTheExitCodeAndADemotedClassIsRestored() throws IOException {
    SlapdConfig config =
        SlapdConfig.stock()
            .module("syncprov")
            .database(People.SUFFIX, ACCESS + SYNCPROV, People.tree(20));
    try (Slapd slapd = Slapd.start(config);
        StoaProcess stoa = start(slapd, CLASS);
        RawLdapClient one = stoa.client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient two = stoa.client().bind(People.dn(2), People.PASSWORD)) {
      Await.until(
          "the feed is live",
          () -> "live".equals(json("feeds", "show", People.SUFFIX).getFieldAsString("state")));
      assertThat(restore()).isEqualTo(ExitCode.REFUSED.code());
      two.call(Requests.search(People.SUFFIX).baseScope().request());
      one.call(People.find(3));
      Await.until(
          "it is found to differ", () -> stoactl("verify").code() == ExitCode.DIFFERS.code());
      Await.until("it is demoted, and restored", () -> restore() == 0);
      assertThat(restore()).isEqualTo(ExitCode.REFUSED.code());
      Await.until(
          "its members share again, so that it is demoted again",
          () -> {
            one.call(People.find(3));
            two.call(People.find(3));
            return restore() == 0;
          });
    }
  }

  private int restore() {
    return stoactl("cache", "restore", "apps").code();
  }

  private static long number(JSONObject json, String field) {
    Long number = json.getFieldAsLong(field);
    return number == null ? -1 : number;
  }
}
