// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.Mode;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A context without a feed is reported with the reason, and logged once if a feed was configured.
 */
class AgeOnlyTrackingIT {
  private static final Duration MAX_AGE = Duration.ofMillis(200);
  private static final String REST = "\naccess to * by * read";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static void awaitAbsence(RunningProxy proxy, String name, String why) {
    Await.until(
        "contexts without a feed are known",
        () -> proxy.status().withoutFeed().stream().anyMatch(none -> none.name().equals(name)));
    assertThat(proxy.status().withoutFeed())
        .singleElement()
        .satisfies(none -> assertThat(none.why()).contains(why))
        .satisfies(none -> assertThat(none.bound()).isEqualTo(MAX_AGE));
    assertThat(proxy.status().feeds()).isEmpty();
  }

  @Test
  void aContextWithoutAFeedAccountIsReported() {
    SlapdConfig config = SlapdConfig.stock().database(People.SUFFIX, "", People.tree(1));
    try (Slapd slapd = Slapd.start(config);
        RunningProxy proxy = ProxySetup.before(slapd.port()).maxAge(MAX_AGE).start()) {
      awaitAbsence(proxy, People.SUFFIX, "set feed.bindDn and feed.passwordFile");
    }
  }

  @Test
  void aContextWithUnreadableSchemaIsReported() {
    String hidden = "access to dn.base=\"cn=Subschema\" by * none" + REST;
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(1, MAX_AGE).global(hidden).start()) {
      awaitAbsence(people.proxy(), People.SUFFIX, "the schema is not readable anonymously");
      Await.until("it is said", () -> !log.warningsOf("Feeds").isEmpty());
      assertThat(log.warningsOf("Feeds")).hasSize(1);
      assertThat(log.warningsOf("ChangeFeeds")).isEmpty();
    }
  }

  @Test
  void aDirectoryWithUnreadableRootDseIsReported() {
    String hidden = "access to dn.base=\"\" by * none" + REST;
    SlapdConfig config =
        SlapdConfig.stock().global(hidden).database(People.SUFFIX, "", People.tree(1));
    try (Slapd slapd = Slapd.start(config);
        RunningProxy proxy = fed(slapd).startWithoutUpstream()) {
      Await.until("it is said", () -> !log.warningsOf("DirectoryWatch").isEmpty());
      assertThat(log.warningsOf("DirectoryWatch")).hasSize(1);
      awaitAbsence(proxy, "directory", "the product is unknown");
    }
  }

  /** A setup with a feed account, whose password file is not read before the directory is known. */
  private static ProxySetup fed(Slapd slapd) {
    Path none = Path.of("nowhere");
    FeedConfig feed =
        new FeedConfig(
            Mode.AUTO,
            People.ROOT,
            none,
            List.of(),
            Duration.ofSeconds(1),
            1000,
            "",
            FeedConfig.Restarts.GAP);
    return ProxySetup.before(slapd.port())
        .maxAge(MAX_AGE)
        .coherence(
            new CoherenceConfig(
                feed, Duration.ofSeconds(1), Duration.ofHours(1), true, DerivedConfig.DEFAULTS));
  }

  /** The feed covers the whole context. */
  @Test
  void aContextWithAFeedIsNotReported() {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(1, MAX_AGE).start()) {
      people.awaitLive();
      assertThat(people.proxy().status().withoutFeed()).isEmpty();
      assertThat(log.warningsOf("Feeds")).isEmpty();
      assertThat(log.warningsOf("ChangeFeeds")).isEmpty();
    }
  }
}
