// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names of keys and sections, and the search for the name that a misspelt one resembles most.
 * Threading: immutable.
 */
final class KeyNames {
  private static final Map<String, ConfigKey<?>> KEYS =
      ConfigKeys.ALL.stream()
          .collect(
              Collectors.toMap(
                  ConfigKey::name, Function.identity(), (a, b) -> a, LinkedHashMap::new));

  private static final Set<String> SECTIONS =
      Collections.unmodifiableSet(
          KEYS.values().stream()
              .map(ConfigKey::section)
              .flatMap(KeyNames::withParents)
              .filter(section -> !section.isEmpty())
              .collect(Collectors.toSet()));

  /** Former names, which are refused with the present one. */
  private static final Map<String, String> RENAMED =
      Map.of(
          "upstreams", "upstream.servers",
          "identity.ownConnections", "identity.neverProxied",
          "upstream.operated", "upstream.overrides",
          "upstream.maxOutstanding", "upstream.maxInFlightPerConnection",
          "writes.closing", "writes.windowOverrides",
          "feed.seesAll", "feed.assumeCoverage",
          "feed.derived", "feed.derivedAttributes",
          "feed.linked", "feed.linkedAttributes",
          "cache.planCacheSize", "cache.requestCacheSize",
          "cache.verifyPerSecond", "cache.fullAuditPerSecond");

  private KeyNames() {}

  static boolean isKey(String path) {
    return KEYS.containsKey(path);
  }

  static boolean isSection(String path) {
    return SECTIONS.contains(path);
  }

  /** Returns the remedy for a path that is neither a key nor a section. */
  static String correction(String path) {
    String renamed = RENAMED.get(path);
    return renamed == null
        ? "unknown key " + path + "; did you mean " + nearest(path) + "?"
        : path + " was renamed to " + renamed;
  }

  /** Returns the key or section with the most similar path or last part. */
  static String nearest(String path) {
    return Stream.concat(KEYS.keySet().stream(), SECTIONS.stream())
        .min(
            Comparator.<String>comparingInt(name -> distance(path, name))
                .thenComparing(Comparator.naturalOrder()))
        .orElseThrow();
  }

  private static Stream<String> withParents(String section) {
    int dot = section.lastIndexOf('.');
    return dot < 0
        ? Stream.of(section)
        : Stream.concat(Stream.of(section), withParents(section.substring(0, dot)));
  }

  /** Returns the number of edits between two paths. A right name in a wrong section costs one. */
  private static int distance(String wrong, String right) {
    return Math.min(
        edits(fold(wrong), fold(right)), 1 + edits(fold(leaf(wrong)), fold(leaf(right))));
  }

  private static String leaf(String path) {
    return path.substring(path.lastIndexOf('.') + 1);
  }

  /** Removes case, dashes and underscores, so that other spellings of a name count as equal. */
  private static String fold(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  /** Returns the Levenshtein distance. */
  private static int edits(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
