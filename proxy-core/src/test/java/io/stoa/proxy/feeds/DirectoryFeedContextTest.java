// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.testing.SmallDirectory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Each request for the position of a feed gets an answer. */
class DirectoryFeedContextTest {
  private static final String CSN = "20260101000000.000001Z#000000#001#000000";

  /** Only what a question needs. */
  private static DirectoryFeedContext feedContext(EventExecutor loop) {
    return new DirectoryFeedContext(
        null,
        null,
        () -> null,
        null,
        null,
        type -> false,
        () -> {},
        loop,
        null,
        Duration.ZERO,
        new CoverageFile(null));
  }

  private static List<Position> requestedPositions(PrivilegedReader reader) {
    List<Position> told = new ArrayList<>();
    reader.readPosition(
        SmallDirectory.CONTEXT.getBytes(StandardCharsets.UTF_8), SmallDirectory.CONTEXT, told::add);
    return told;
  }

  private static SearchEntry entry() {
    return SmallDirectory.entry("dc=x", Map.of("contextCSN", CSN));
  }

  @Test
  void deliversThePosition() {
    assertThat(requestedPositions((search, found, failed) -> found.accept(List.of(entry()))))
        .containsExactly(SmallDirectory.upTo(1));
  }

  @Test
  void aFailedSearchGivesNoPosition() {
    assertThat(
            requestedPositions(
                (search, found, failed) ->
                    failed.accept(new ReadFailure(51, "the server is busy"))))
        .containsExactly(Position.NONE);
  }

  /** It has ended, as when Stoa ends: nobody waits there any more, and who answers goes on. */
  @Test
  void deliversNothingToAnEndedLoop() {
    EventExecutor ended = new DefaultEventExecutor();
    ended.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    List<Position> told = new ArrayList<>();
    feedContext(ended).deliver(SmallDirectory.CONTEXT, Position.NONE, told::add);
    assertThat(told).isEmpty();
  }

  @Test
  void aSearchWithoutOneEntryGivesNoPosition() {
    assertThat(requestedPositions((search, found, failed) -> found.accept(List.of())))
        .containsExactly(Position.NONE);
    assertThat(
            requestedPositions((search, found, failed) -> found.accept(List.of(entry(), entry()))))
        .containsExactly(Position.NONE);
  }
}
