// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.feed.event.RightsAttributes;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds modifications that may have changed access rules, by the changes in their records. The
 * entry is read later, and does not show its earlier rules.
 *
 * <p>A record that cannot be read may have changed rules.
 *
 * <p>Threading: thread of the feed.
 */
final class ChangedRules {
  /** Number of attempts to read the changes: 2. A record may be too large to read. */
  static final int TRIES = 2;

  private static final Predicate<String> IS_KIND =
      Set.of("add", "delete", "replace", "increment")::contains;

  private int failed;

  /** Source of records. */
  interface RecordSource {
    /** Reads the changes of the records with these numbers. */
    void read(Set<Long> numbers, ModificationListener found) throws IOException;
  }

  /** Receives the changes of records. */
  interface ModificationListener {
    /**
     * Called for each record.
     *
     * @param changes the changes in LDIF; null if they are hidden
     */
    void onModification(long number, byte @Nullable [] changes);
  }

  /** Returns the numbers of the records that may have changed access rules. */
  Set<Long> among(List<RetroRecord> records, RecordSource source) throws IOException {
    Set<Long> numbers =
        records.stream()
            .filter(RetroRecord::isModification)
            .map(RetroRecord::number)
            .collect(Collectors.toCollection(TreeSet::new));
    if (numbers.isEmpty() || failed >= TRIES) {
      failed = 0;
      return numbers;
    }
    failed++;
    Set<Long> ruleChanges = new TreeSet<>(numbers);
    source.read(
        numbers,
        (number, changes) -> {
          if (!has(changes)) {
            ruleChanges.remove(number);
          }
        });
    failed = 0;
    return ruleChanges;
  }

  /** True if the LDIF lines may concern an attribute with access rules. */
  private static boolean has(byte @Nullable [] changes) {
    return changes == null || new String(changes, ISO_8859_1).lines().anyMatch(ChangedRules::isOf);
  }

  private static boolean isOf(String line) {
    int colon = line.indexOf(':');
    // a continuation line begins with a blank
    String first = colon < 0 ? "" : line.substring(0, colon);
    return RightsAttributes.isAccessRule(first.startsWith(" ") ? "" : first)
        || (IS_KIND.test(first) && RightsAttributes.isAccessRule(line.substring(colon + 1)));
  }
}
