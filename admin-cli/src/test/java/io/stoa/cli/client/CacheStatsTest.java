// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import org.junit.jupiter.api.Test;

class CacheStatsTest {
  @Test
  void anAmountAndItsMaximumAreOneLine() {
    Entry caches = new Entry("cn=Caches,cn=monitor");
    caches.addAttribute("stoaFilterCacheCurrent", "2");
    caches.addAttribute("stoaFilterCacheSize", "100000");
    Report report = Shapes.CACHE.one(new EntryValues(caches));
    assertThat(report.lines())
        .anyMatch(line -> line.matches("results +2 of 100,000"))
        .anyMatch(line -> line.matches("entries +- of -"))
        .noneMatch(line -> line.startsWith("resultsMax"));
    assertThat(report.json()).containsEntry("results", 2L).containsEntry("resultsMax", 100000L);
  }
}
