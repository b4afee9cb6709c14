// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Words of former names, for which docs/reference/glossary.md has a term. Words that English or an
 * RFC uses in their ordinary sense are not listed. Threading: stateless.
 */
public final class RetiredWords {
  private static final Set<String> WORDS =
      Set.of(
          "baton",
          "batons",
          "caretaker",
          "caretakers",
          "claimant",
          "claimants",
          "debt",
          "debts",
          "deputies",
          "deputy",
          "errand",
          "errands",
          "faith",
          "ground",
          "grounds",
          "heir",
          "heirs",
          "intake",
          "lane",
          "lanes",
          "realm",
          "realms",
          "seer",
          "seers",
          "standing",
          "standings",
          "suspicion",
          "suspicions",
          "tally",
          "ties",
          "unfed",
          "unheard",
          "upkeep",
          "vigil",
          "vigils");

  /** A word of a sentence or of a name in camel case or with underscores. */
  private static final Pattern WORD = Pattern.compile("\\p{Lu}?\\p{Ll}+|\\p{Lu}+(?!\\p{Ll})");

  private RetiredWords() {}

  /** True if a sentence or a name holds a retired word. */
  public static boolean areIn(String text) {
    return holds(text, WORDS);
  }

  /** True if a sentence or a name holds one of the words, which are in lower case. */
  public static boolean holds(String text, Set<String> words) {
    return WORD.matcher(text)
        .results()
        .map(MatchResult::group)
        .anyMatch(word -> words.contains(word.toLowerCase(Locale.ROOT)));
  }
}
