// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import io.stoa.testing.Await;
import io.stoa.testing.Repository;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The line that docs/reference/messages.md shows makes Stoa log more, without a restart. */
class LogbackFileTest {
  private static final Pattern LINE = Pattern.compile("(?m)^<logger .*/>$");
  private static final String PERIOD = "scanPeriod=\"30 seconds\"";

  @TempDir Path directory;

  @Test
  void aChangeOfTheShippedFileTakesEffectWithoutARestart() throws Exception {
    String shipped = read("proxy-server/src/dist/conf/logback.xml");
    assertThat(shipped).contains(PERIOD);
    Matcher line = LINE.matcher(read("docs/reference/messages.md"));
    assertThat(line.find()).isTrue();
    Path file = directory.resolve("logback.xml");
    String quick = shipped.replace(PERIOD, "scanPeriod=\"100 milliseconds\"");
    Files.writeString(file, quick);
    Files.setLastModifiedTime(file, FileTime.fromMillis(0));
    LoggerContext context = new LoggerContext();
    try {
      JoranConfigurator configurator = new JoranConfigurator();
      configurator.setContext(context);
      configurator.doConfigure(file.toFile());
      assertThat(context.getLogger("io.stoa.net").isDebugEnabled()).isFalse();
      Files.writeString(file, quick.replace("  <root", "  " + line.group() + "\n  <root"));
      Await.until( // a context that is being reset logs everything
          "the file is read again",
          () ->
              context.getLogger("io.stoa.net").isDebugEnabled()
                  && !context.getLogger("org.example").isDebugEnabled()
                  && !context.getLogger("io.netty").isInfoEnabled());
    } finally {
      context.stop();
    }
  }

  private static String read(String file) throws Exception {
    return Files.readString(Repository.root().resolve(file));
  }
}
