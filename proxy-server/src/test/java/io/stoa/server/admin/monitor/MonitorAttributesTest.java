// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MonitorAttributesTest {
  /** The whole list of the IBM Directory Server 5.1 guide. */
  private static final List<String> GUIDE =
      List.of(
          "version",
          "totalconnections",
          "currentconnections",
          "maxconnections",
          "writewaiters",
          "readwaiters",
          "opsinitiated",
          "opscompleted",
          "livethreads",
          "entriessent",
          "searchesrequested",
          "searchescompleted",
          "filter_cache_size",
          "filter_cache_current",
          "filter_cache_hit",
          "filter_cache_miss",
          "filter_cache_bypass_limit",
          "entry_cache_size",
          "entry_cache_current",
          "entry_cache_hit",
          "entry_cache_miss",
          "acl_cache",
          "acl_cache_size",
          "currenttime",
          "starttime",
          "en_currentregs",
          "en_notificationssent");

  @Test
  void allAttributesOfTheGuideAreThere() {
    List<String> names = MonitorAttributes.ALL.stream().map(MonitorAttribute::name).toList();
    assertThat(names).containsAll(GUIDE).doesNotHaveDuplicates();
    assertThat(names)
        .filteredOn(n -> !n.startsWith("stoa"))
        .allSatisfy(n -> assertThat(n).isEqualTo(n.toLowerCase(Locale.ROOT)));
  }

  @Test
  void eachKindOfOperationHasItsPair() {
    List<String> names = MonitorAttributes.ALL.stream().map(MonitorAttribute::name).toList();
    Stream.of("binds", "unbinds", "searches", "compares", "modifies", "modrdns", "adds")
        .forEach(kind -> assertThat(names).contains(kind + "requested", kind + "completed"));
    Stream.of("deletes", "abandons", "extops")
        .forEach(kind -> assertThat(names).contains(kind + "requested", kind + "completed"));
  }
}
