// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What was of an entry before it got its name. A replica that is told by a refresh that an entry
 * has another name and other attributes gives it the name first, and the attributes then, by two
 * operations (syncrepl_entry of slapd 2.5): between them it shows what never was. Stateless.
 */
final class OracleMoves {
  private OracleMoves() {}

  /**
   * Attributes that an entry had by other names, of those by which it is there last of all.
   *
   * @param states one after the other, in each of which one write was done
   */
  static List<SortedMap<String, String>> before(
      String dn, List<SortedMap<String, SortedMap<String, String>>> states) {
    Set<SortedMap<String, String>> bodies = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = states.size() - 1; i > 0; i--) {
      if (states.get(i).containsKey(dn) && !states.get(i - 1).containsKey(dn)) {
        trace(origin(dn, states, i), states, i - 1, bodies);
      }
    }
    return new ArrayList<>(bodies);
  }

  /** All that it was, from a state back to when it was added. */
  private static void trace(
      @Nullable String last,
      List<SortedMap<String, SortedMap<String, String>>> states,
      int from,
      Set<SortedMap<String, String>> bodies) {
    String dn = last;
    for (int i = from; i >= 0 && dn != null; i--) {
      bodies.add(states.get(i).get(dn));
      dn = i > 0 && !states.get(i - 1).containsKey(dn) ? origin(dn, states, i) : dn;
    }
  }

  /** By which name it was there before, just as it is then; null if it was not. */
  private static @Nullable String origin(
      String dn, List<SortedMap<String, SortedMap<String, String>>> states, int at) {
    SortedMap<String, String> body = states.get(at).get(dn);
    return states.get(at - 1).entrySet().stream()
        .filter(one -> one.getValue() == body)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }
}
