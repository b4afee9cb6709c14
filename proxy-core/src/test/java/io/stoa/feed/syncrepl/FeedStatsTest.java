// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.ldap.csn.Position;
import io.stoa.testing.DeafSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What people are told of a feed: one line for each change. */
class FeedStatsTest {
  private final Logger log = (Logger) LoggerFactory.getLogger(FeedStats.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

  private static FeedStats stats() {
    FeedStats.Bounds bounds = new FeedStats.Bounds(Duration.ofSeconds(1), Duration.ofSeconds(5));
    return new FeedStats("dc=x", "sync searches", bounds, new DeafSink());
  }

  private List<String> lines() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @BeforeEach
  void listen() {
    log.setLevel(Level.INFO);
    log.addAppender(appender);
    appender.start();
  }

  @AfterEach
  void stop() {
    log.detachAppender(appender);
    log.setLevel(null);
  }

  @Test
  void logsTheFeedWithItsBound() {
    FeedStats tally = stats();
    tally.setPhase(Phase.LIVE, "ldap://a", "");
    tally.setPhase(Phase.LIVE, "ldap://a", "");
    tally.onLost("no response");
    assertThat(lines()).hasSize(2);
    assertThat(lines().get(0))
        .contains("feed of dc=x: LIVE from ldap://a, by sync searches", "at most 1000 ms");
    assertThat(lines().get(1))
        .contains("feed of dc=x: DOWN: no response", "at most 1000 ms", "after 5000 ms");
  }

  /** An answer from memory must not come while the last word is that there is none. */
  @Test
  void logsLiveBeforeAnyAnswerRestsOnTheFeed() {
    List<String> before = new ArrayList<>();
    FeedStats.Bounds bounds = new FeedStats.Bounds(Duration.ofSeconds(1), Duration.ZERO);
    FeedSink sink =
        new DeafSink() {
          @Override
          public void onLive(Position position) {
            before.addAll(lines());
          }
        };
    FeedStats tally = new FeedStats("dc=x", "sync searches", bounds, sink);
    tally.setPhase(Phase.REFRESHING, "ldap://a", "");
    tally.onLive(Position.NONE);
    assertThat(before).hasSize(1);
    assertThat(before.get(0)).startsWith("feed of dc=x: LIVE from ldap://a");
    assertThat(tally.status().phase()).isEqualTo(Phase.LIVE);
  }

  @Test
  void logsThatNothingIsCachedIfSo() {
    FeedStats.Bounds bounds = new FeedStats.Bounds(Duration.ofSeconds(1), Duration.ZERO);
    new FeedStats("dc=x", "sync searches", bounds, new DeafSink()).onLost("gone");
    assertThat(lines())
        .containsExactly("feed of dc=x: DOWN: gone; nothing is served from the cache");
  }
}
