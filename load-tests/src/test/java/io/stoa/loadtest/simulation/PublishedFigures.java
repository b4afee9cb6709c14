// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.run.Report;
import io.stoa.loadtest.run.Table;
import java.util.List;
import java.util.stream.Stream;

/** Published figures of the guides: a table for each experiment, from machines of their time. */
record PublishedFigures(String source, List<List<String>> lines) {
  static final PublishedFigures ADDRESS_LOOKUP =
      of(
          "IBM Directory Server 4.1, tuning guide of 2002: 500,000 entries, 50 clients, entry cache"
              + " 460,000",
          "filter cache | warm-up ops/s | run ops/s | run ÷ run without",
          "0 | 101 | 188 | 1.00",
          "75,000 | 108 | 283 | 1.51");

  static final PublishedFigures FILTER_CACHE =
      of(
          "IBM Directory Server 4.1, tuning guide of 2002, figure 2",
          "filter cache | run ops/s | run ÷ run without",
          "0 | 188 | 1.00",
          "up to 20,000 | no benefit | 1",
          "20,000 to 50,000 | erratic | -",
          "75,000 | 283 | 1.51",
          "more | no further benefit | 1.51");

  static final PublishedFigures UPDATES =
      of(
          "IBM Directory Server 4.1, tuning guide of 2002, figure 3",
          "updates | filter cache 0 | filter cache 75,000",
          "0% | 188 ops/s | 283 ops/s",
          "1% | as without | as without: each update empties it");

  static final PublishedFigures ENTRY_CACHE =
      of(
          "IBM Directory Server 4.1, tuning guide of 2002, figure 5; filter cache 100",
          "entry cache | warm-up ops/s | run ops/s | run ÷ run without",
          "0 | 50 | 54 | 1.00",
          "100,000 | - | little more | -",
          "200,000 to 400,000 | - | erratic | -",
          "460,000 | 107 | 284 | 5.26");

  static final PublishedFigures ENTRY_CACHE_PARTS =
      of(
          "Red Hat Directory Server 7.1, sizing guide: 250,000 entries, exact searches",
          "entry cache, % of all entries | searches/s | ÷ without",
          "0 | 7,853 | 1.00",
          "20 | 7,006 | 0.89",
          "40 | 7,831 | 1.00",
          "60 | 9,316 | 1.19",
          "80 | 11,112 | 1.41",
          "100 | 13,017 | 1.66");

  static final PublishedFigures SLAMD =
      of(
          "Oracle Internet Directory, 2008: two billion entries, 64 Itanium cores",
          "test | clients | ops/s | latency ms",
          "search | 240 | 99,669 | 2.4",
          "search | 800 | 101,262 | 7.9",
          "authenticate | 240 | 36,812 | 6.5",
          "authenticate | 800 | 36,648 | 21.8",
          "bind | 800 | 80,378 | 9.0",
          "modify | 400 | 13,900 | 16.0",
          "compare | 800 | 83,761 | 9.5");

  static final PublishedFigures HIGH_CONCURRENCY =
      of(
          "Oracle Internet Directory, 2008, search",
          "clients | ops/s | ÷ 240 clients | latency ms",
          "240 | 99,669 | 1.00 | 2.4",
          "800 | 101,262 | 1.02 | 7.9",
          "16,000 | 99,425 | 0.998 | 160.8");

  /** Creates a table. Cells of the header and of each line are separated by bars. */
  private static PublishedFigures of(String source, String... lines) {
    return new PublishedFigures(
        source, Stream.of(lines).map(line -> List.of(line.split(" \\| "))).toList());
  }

  void into(Report report) {
    Table table = report.table("Published: " + source, lines.get(0).toArray(String[]::new));
    lines.stream().skip(1).forEach(line -> table.row(line.toArray()));
  }
}
