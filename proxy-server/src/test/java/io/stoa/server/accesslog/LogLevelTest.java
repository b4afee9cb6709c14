// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Parts of the log are the domains of Stoa. */
class LogLevelTest {
  @Test
  void eachDomainIsAPart() throws IOException {
    Path domains = Repository.root().resolve("proxy-core/src/main/java/io/stoa");
    try (Stream<Path> all = Files.list(domains)) {
      assertThat(LogLevel.PARTS)
          .containsAll(
              all.filter(Files::isDirectory).map(one -> one.getFileName().toString()).toList())
          .isSorted();
    }
  }

  @Test
  void aPartOrALoggerHasALevel() {
    assertThat(LogLevel.parse("feed=debug").logger()).isEqualTo("io.stoa.feed");
    assertThat(LogLevel.parse("io.stoa.feed = DEBUG").text()).isEqualTo("feed=debug");
    assertThat(LogLevel.parse("io.stoa.feed.syncrepl=info").logger())
        .isEqualTo("io.stoa.feed.syncrepl");
    assertThat(LogLevel.parse("io.stoa=trace").logger()).isEqualTo("io.stoa");
  }

  @Test
  void otherNamesAreRefused() {
    List<String> wrong =
        List.of("feed", "=debug", "feed=", "io.netty=debug", "io.stoa.fed=info", "io.stoax=info");
    for (String text : wrong) {
      assertThatThrownBy(() -> LogLevel.parse(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
