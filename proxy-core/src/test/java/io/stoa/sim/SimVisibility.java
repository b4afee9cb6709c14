// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.sim.SimAcl.Clearance;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What can be seen of the entries of one history, found out once for each form of each entry,
 * whoever sees it and whatever he looks for. Thread-confined.
 */
final class SimVisibility {
  private final IdentityHashMap<Entry, Entry> withoutPhones = new IdentityHashMap<>();
  private final Map<List<String>, SimEncodedEntries> forms = new HashMap<>();

  /** An entry as it is seen; null if it is hidden. */
  @Nullable Entry visible(Clearance clearance, Entry entry) {
    if (clearance.hides(entry.getDN())) {
      return null;
    }
    return clearance.phones() ? entry : withoutPhones(entry);
  }

  private Entry withoutPhones(Entry entry) {
    Entry known = SimTree.FIRST_WITHOUT_PHONES.get(entry);
    return known == null ? withoutPhones.computeIfAbsent(entry, Clearance::withoutPhones) : known;
  }

  /** What is shown to who wants to know what a search does. */
  SimEncodedEntries forms(SimSearch search) {
    return forms.computeIfAbsent(search.attributes(), wanted -> new SimEncodedEntries(search));
  }
}
