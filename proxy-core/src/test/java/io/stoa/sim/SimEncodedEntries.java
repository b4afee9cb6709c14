// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is shown of entries to those who want to know the same of them: encoded once, whatever they
 * look for. Thread-confined.
 */
final class SimEncodedEntries {
  /** Of the entries with which all histories begin, by the attributes that are wanted. */
  private static final Map<List<String>, IdentityHashMap<Entry, String>> FIRST =
      new ConcurrentHashMap<>();

  private final IdentityHashMap<Entry, String> first;
  private final IdentityHashMap<Entry, String> forms = new IdentityHashMap<>();

  SimEncodedEntries(SimSearch search) {
    this.first = FIRST.computeIfAbsent(search.attributes(), wanted -> first(search));
  }

  private static IdentityHashMap<Entry, String> first(SimSearch search) {
    IdentityHashMap<Entry, String> first = new IdentityHashMap<>();
    SimTree.FIRST_WITHOUT_PHONES.forEach(
        (entry, less) -> {
          first.put(entry, search.shown(entry));
          first.put(less, search.shown(less));
        });
    return first;
  }

  /** What is shown of an entry as it is visible. */
  String of(SimSearch search, Entry visible) {
    String known = first.get(visible);
    return known == null ? forms.computeIfAbsent(visible, search::shown) : known;
  }
}
