// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.operation.event.QuotaLimit;
import io.stoa.testing.ExpectedLog;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A line names the clients with most refusals, however many others there are. */
class QuotaLogTest {
  @RegisterExtension final ExpectedLog lines = new ExpectedLog();

  private final QuotaLog log = new QuotaLog(QuotaLimit.NETWORK_FAILED_BINDS);

  @Test
  void theCulpritIsNamedAfterThousandsOfOthers() {
    for (int i = 0; i < 3_000; i++) {
      log.add("2001:db8:" + i + "/64");
      if (i >= 2_000) {
        log.add("192.0.2.66");
      }
    }
    long now = System.nanoTime();
    log.report(now);
    log.report(now + TimeUnit.SECONDS.toNanos(20));
    assertThat(lines.warnings()).hasSize(1);
    assertThat(lines.warnings().get(0))
        .contains(
            "exceeded by 192.0.2.66 (1000); ", "; others (2998): refused or delayed (count=4000");
  }
}
