// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.sim.SimAcl.Clearance;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The answers to one question for somebody of one clearance, found out once for each form of each
 * entry and for each state. Thread-confined.
 */
final class SimView {
  /** That an entry is not shown. */
  private static final String HIDDEN = "";

  private static final int NO_SUCH_OBJECT = 32;

  /** So many states back it is quicker to look only at what has changed. */
  private static final int FEW = 20;

  private final SimRequest request;
  private final Clearance clearance;
  private final SimVisibility visibility;
  private final IdentityHashMap<Entry, String> found = new IdentityHashMap<>();
  private final NavigableMap<Integer, Map<String, String>> results = new TreeMap<>();
  private @Nullable SimFilter matcher;
  private @Nullable SimEncodedEntries forms;

  /** The states of which one is asked. Thread-confined. */
  interface States {
    SimTree tree(int state);

    /** The entries in which it differs from the state before. */
    Set<String> changed(int state);
  }

  /**
   * Makes it.
   *
   * @param sights what others see, too
   */
  SimView(SimRequest question, Clearance clearance, SimVisibility sights) {
    this.request = question;
    this.visibility = sights;
    this.clearance = clearance;
  }

  int code(SimTree tree) {
    Entry base = tree.get(request.base());
    if (request instanceof SimCompare compare) {
      return compare.code(base == null ? null : visibility.visible(clearance, base));
    }
    return base == null || clearance.hides(base.getDN()) ? NO_SUCH_OBJECT : 0;
  }

  /** What it shows in a state. */
  Map<String, String> shown(int state, States states) {
    Map<String, String> known = results.get(state);
    if (known == null) {
      known = request instanceof SimSearch search ? find(search, state, states) : Map.of();
      results.put(state, known);
    }
    return known;
  }

  /** By what has changed since a state that is known; the same map, if it shows the same. */
  private Map<String, String> find(SimSearch search, int state, States states) {
    SimTree tree = states.tree(state);
    Map.Entry<Integer, Map<String, String>> before = results.floorEntry(state);
    if (before == null || search.ofOneEntry() || state - before.getKey() > FEW) {
      return find(search, tree);
    }
    Set<String> changed = changed(before.getKey(), state, states);
    return changed.contains(search.base())
        ? find(search, tree)
        : find(search, tree, before.getValue(), changed);
  }

  private static Set<String> changed(int before, int state, States states) {
    if (before + 1 == state) {
      return states.changed(state);
    }
    Set<String> changed = new HashSet<>();
    for (int one = before + 1; one <= state; one++) {
      changed.addAll(states.changed(one));
    }
    return changed;
  }

  private Map<String, String> find(
      SimSearch search, SimTree tree, Map<String, String> before, Set<String> changed) {
    Map<String, String> now = null;
    boolean there = code(tree) == 0;
    for (String dn : changed) {
      Entry entry = there ? tree.get(dn) : null;
      String shown = entry == null ? HIDDEN : shown(search, entry);
      if (!shown.equals(before.getOrDefault(dn, HIDDEN))) {
        now = now == null ? new TreeMap<>(before) : now;
        now.remove(dn);
        if (!shown.equals(HIDDEN)) {
          now.put(dn, shown);
        }
      }
    }
    return now == null ? before : now;
  }

  private Map<String, String> find(SimSearch search, SimTree tree) {
    if (code(tree) != 0) {
      return Map.of();
    }
    if (search.ofOneEntry()) {
      String shown = shown(search, tree.entries().get(search.base()));
      return shown.equals(HIDDEN) ? Map.of() : Map.of(search.base(), shown);
    }
    Map<String, String> all = new TreeMap<>();
    for (Entry entry : tree.entries().values()) {
      String shown = shown(search, entry);
      if (!shown.equals(HIDDEN)) {
        all.put(entry.getDN(), shown);
      }
    }
    return all;
  }

  private SimFilter matcher(SimSearch search) {
    SimFilter known = matcher;
    if (known == null) {
      known = SimFilter.of(search.filter());
      matcher = known;
    }
    return known;
  }

  private String shown(SimSearch search, Entry entry) {
    String known = found.get(entry);
    if (known == null) {
      Entry visible = search.holds(entry.getDN()) ? visibility.visible(clearance, entry) : null;
      known = visible != null && matcher(search).matches(visible) ? form(search, visible) : HIDDEN;
      found.put(entry, known);
    }
    return known;
  }

  /** What is shown of an entry, found or not; null if it is hidden. */
  @Nullable String entry(@Nullable Entry entry) {
    if (entry == null || !(request instanceof SimSearch search)) {
      return null;
    }
    Entry visible = visibility.visible(clearance, entry);
    return visible == null ? null : form(search, visible);
  }

  private String form(SimSearch search, Entry visible) {
    SimEncodedEntries known = forms;
    if (known == null) {
      known = visibility.forms(search);
      forms = known;
    }
    return known.of(search, visible);
  }
}
