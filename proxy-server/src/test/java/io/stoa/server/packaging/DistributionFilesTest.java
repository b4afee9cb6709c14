// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class DistributionFilesTest {
  private static final String SCAN = " scan=\"true\" scanPeriod=\"30 seconds\"";
  private static final String SCAN_COMMENT = " Changes take effect within 30 s.";

  /** The log is the same whether or not the process finds its directory. Only a file is scanned. */
  @Test
  void theLogSettingsEqualThoseInTheJar() throws IOException {
    Path module = Repository.root().resolve("proxy-server");
    String packed = Files.readString(module.resolve("src/dist/conf/logback.xml"));
    assertThat(packed).contains("System.err", SCAN, SCAN_COMMENT);
    assertThat(packed.replace(SCAN, "").replace(SCAN_COMMENT, ""))
        .isEqualTo(Files.readString(module.resolve("src/main/resources/logback.xml")));
  }
}
