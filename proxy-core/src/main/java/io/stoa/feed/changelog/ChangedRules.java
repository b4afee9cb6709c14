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
 * Finds out which modifications were of rules of access, by what their records say was modified: an
 * entry that is looked at later does not say what was there before. What cannot be read may have
 * been anything. Confined to the thread of the feed.
 */
final class ChangedRules {
  /** As often it is tried to read what was modified: a record may be too large for that. */
  static final int TRIES = 2;

  private static final Predicate<String> IS_KIND =
      Set.of("add", "delete", "replace", "increment")::contains;

  private int failed;

  /** From where records come. */
  interface Source {
    /** Reads what was modified by changes with these numbers. */
    void read(Set<Long> numbers, Modification found) throws IOException;
  }

  /** Hears what was modified. */
  interface Modification {
    /**
     * @param changes as the changelog has it; null if that is hidden
     */
    void found(long number, byte @Nullable [] changes);
  }

  /** The numbers of those that may have changed rules. */
  Set<Long> among(List<RetroRecord> news, Source from) throws IOException {
    Set<Long> numbers =
        news.stream()
            .filter(RetroRecord::isModification)
            .map(RetroRecord::number)
            .collect(Collectors.toCollection(TreeSet::new));
    if (numbers.isEmpty() || failed >= TRIES) {
      failed = 0;
      return numbers;
    }
    failed++;
    Set<Long> left = new TreeSet<>(numbers);
    from.read(
        numbers,
        (number, changes) -> {
          if (!has(changes)) {
            left.remove(number);
          }
        });
    failed = 0;
    return left;
  }

  /** Whether these lines, which are those of LDIF, may be about one of the attributes. */
  private static boolean has(byte @Nullable [] changes) {
    return changes == null || new String(changes, ISO_8859_1).lines().anyMatch(ChangedRules::isOf);
  }

  private static boolean isOf(String line) {
    int colon = line.indexOf(':');
    String first = colon < 0 ? "" : line.substring(0, colon); // of a line that goes on: a blank
    return RightsAttributes.isOne(first.startsWith(" ") ? "" : first)
        || (IS_KIND.test(first) && RightsAttributes.isOne(line.substring(colon + 1)));
  }
}
