// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import io.stoa.feed.changelog.ChangelogLink.Page;
import io.stoa.net.transport.DescribedException;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * The point at which a feed can begin to follow a server's changelog.
 *
 * <p>Threading: immutable.
 *
 * @param last the last existing record
 * @param unseen earlier numbers without a record: of changes in progress, trimmed or given up
 */
record ChangelogRange(RetroRecord last, List<Long> unseen) {
  /**
   * Number of change numbers searched for missing records: 100. Such changes may be in progress or
   * given up.
   */
  static final int BACK = 100;

  private static final String PLUGIN = "cn=Retro Changelog Plugin,cn=plugins,cn=config";
  private static final String ATTRIBUTE = "nsslapd-attribute: nsuniqueid:targetUniqueId";

  /**
   * Reads the range from the server.
   *
   * @param account the bind DN, for messages
   * @throws IOException if the changelog cannot be followed; the message names the remedy
   */
  static ChangelogRange of(ChangelogLink from, String account) throws IOException {
    long lastNumber = from.lastChangeNumber();
    if (lastNumber < 0) {
      throw new DescribedException(
          "the server keeps no changelog: in 389-ds, enable " + PLUGIN + " with " + ATTRIBUTE);
    }
    long first = Math.max(1, lastNumber - BACK);
    SortedMap<Long, RetroRecord> seen = seen(from, first);
    if (seen.isEmpty()) {
      throw new DescribedException(
          "the changelog has no record that "
              + account
              + " can read: allow that by an aci on cn=changelog, or make a first write");
    }
    RetroRecord last = seen.get(seen.lastKey());
    if (last == null || last.entry() == null) {
      throw new DescribedException(
          "the changelog does not store entry IDs: give "
              + PLUGIN
              + " "
              + ATTRIBUTE
              + ". Later changes can then be followed");
    }
    return new ChangelogRange(last, unseen(seen, first));
  }

  private static SortedMap<Long, RetroRecord> seen(ChangelogLink from, long first)
      throws IOException {
    SortedMap<Long, RetroRecord> seen = new TreeMap<>();
    boolean more = true;
    long next = first;
    while (more) {
      Page page = from.records(next);
      page.records().forEach(one -> seen.put(one.number(), one));
      more = page.more() && seen.lastKey() > next;
      next = seen.isEmpty() ? next : seen.lastKey();
    }
    return seen;
  }

  private static List<Long> unseen(SortedMap<Long, RetroRecord> seen, long first) {
    long from = Math.max(first, seen.lastKey() - BACK);
    return LongStream.range(from, seen.lastKey())
        .filter(one -> !seen.containsKey(one))
        .boxed()
        .toList();
  }
}
