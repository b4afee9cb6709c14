// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DistributionFilesTest {
  /** So that the log is the same whether or not the process finds its directory. */
  @Test
  void theLogSettingsEqualThoseInTheJar() throws IOException {
    Path module = Repository.root().resolve("proxy-server");
    assertThat(module.resolve("src/dist/conf/logback.xml"))
        .hasSameTextualContentAs(module.resolve("src/main/resources/logback.xml"));
    assertThat(Files.readString(module.resolve("src/dist/conf/logback.xml")))
        .contains("System.err");
  }
}
