// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.sim.SimAcl.Clearance;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What those of one clearance are shown of entries who want to know the same of them: encoded once,
 * whatever they look for. Thread-confined.
 */
final class SimForms {
  /** That an entry is not shown. */
  static final String NOT = "";

  /** Of the entries with which all histories begin, by the attributes that are wanted. */
  private static final Map<List<String>, IdentityHashMap<Entry, String>> FIRST =
      new ConcurrentHashMap<>();

  private final Clearance clearance;
  private final IdentityHashMap<Entry, String> first;
  private final IdentityHashMap<Entry, String> forms = new IdentityHashMap<>();

  /** What is wanted, and who wants it. Immutable. */
  record Kind(List<String> attributes, Clearance clearance) {}

  SimForms(SimSearch search, Clearance clearance) {
    this.clearance = clearance;
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

  /** What is shown of an entry; {@link #NOT} if it is hidden. */
  String of(SimSearch search, Entry entry) {
    String known = forms.get(entry);
    if (known == null) {
      Entry visible = clearance.visible(entry);
      known = visible == null ? NOT : shown(search, visible);
      forms.put(entry, known);
    }
    return known;
  }

  private String shown(SimSearch search, Entry visible) {
    String known = first.get(visible);
    return known == null ? search.shown(visible) : known;
  }
}
