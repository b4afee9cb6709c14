// SPDX-License-Identifier: Apache-2.0
package io.stoa.changelog;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Whether a server's changelog can be followed, and what would be needed for it. Stateless. */
final class ChangelogOffer {
  /** So many numbers may have been given up, or be of changes that are under way. */
  private static final int BACK = 100;

  private static final String PLUGIN = "cn=Retro Changelog Plugin,cn=plugins,cn=config";
  private static final String ATTRIBUTE = "nsslapd-attribute: nsuniqueid:targetUniqueId";

  private ChangelogOffer() {}

  /**
   * The last record of a changelog.
   *
   * @param account as whom it is read
   * @throws IOException if it cannot be followed; the message says what would help
   */
  static RetroRecord last(ChangelogLink from, String account) throws IOException {
    long counted = from.counted();
    if (counted < 0) {
      throw new IOException(
          "it keeps no changelog: in 389-ds, switch on " + PLUGIN + " with " + ATTRIBUTE);
    }
    RetroRecord last = last(from.records(counted, BACK));
    if (last == null) {
      last = last(from.records(Math.max(1, counted - BACK), 2 * BACK));
    }
    if (last == null) {
      throw new IOException(
          "its changelog has no record that "
              + account
              + " can read: an aci of cn=changelog is to allow that; or nothing has been written");
    }
    if (last.entry() == null) {
      throw new IOException(
          "its changelog does not say which entry was changed: give "
              + PLUGIN
              + " "
              + ATTRIBUTE
              + "; what is written after that can be followed");
    }
    return last;
  }

  private static @Nullable RetroRecord last(List<RetroRecord> records) {
    return records.stream().max(Comparator.comparingLong(RetroRecord::number)).orElse(null);
  }
}
