// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A filter, evaluated by the SDK; but one that is about UUIDs only, as Stoa asks for what it has to
 * make sure of, by looking them up. Immutable, but for what it remembers; thread-safe.
 */
final class SimFilter {
  /** There are few different ones that clients ask for, and many histories. */
  private static final Map<String, SimFilter> KNOWN = new ConcurrentHashMap<>();

  private static final int MAX_KNOWN = 1_000;

  private final Filter filter;
  private final @Nullable Set<String> uuids;

  /**
   * Of the entries with which all histories begin, whole and as some see them: whether they match.
   */
  private final IdentityHashMap<Entry, Boolean> first = new IdentityHashMap<>();

  private SimFilter(String text) {
    try {
      this.filter = Filter.create(text);
      this.uuids = uuids(filter);
      if (uuids == null) {
        for (Map.Entry<Entry, Entry> entry : SimTree.FIRST_WITHOUT_PHONES.entrySet()) {
          first.put(entry.getKey(), filter.matchesEntry(entry.getKey()));
          first.put(entry.getValue(), filter.matchesEntry(entry.getValue()));
        }
      }
    } catch (LDAPException e) {
      throw new AssertionError("the filter " + text + " cannot be read", e);
    }
  }

  static SimFilter of(String text) {
    SimFilter known = KNOWN.get(text);
    if (known == null) {
      known = new SimFilter(text);
      if (known.uuids == null && KNOWN.size() < MAX_KNOWN) {
        KNOWN.put(text, known);
      }
    }
    return known;
  }

  private static @Nullable Set<String> uuids(Filter filter) {
    Filter[] parts =
        filter.getFilterType() == Filter.FILTER_TYPE_OR
            ? filter.getComponents()
            : new Filter[] {filter};
    Set<String> uuids = new HashSet<>();
    for (Filter part : parts) {
      boolean equality = part.getFilterType() == Filter.FILTER_TYPE_EQUALITY;
      if (!equality || !part.getAttributeName().equals(SimTree.UUID)) {
        return null;
      }
      uuids.add(part.getAssertionValue());
    }
    return uuids;
  }

  /** Whether it matches an entry as that is visible. */
  boolean matches(Entry visible) {
    if (uuids != null) {
      return uuids.contains(visible.getAttributeValue(SimTree.UUID));
    }
    Boolean known = first.get(visible);
    return known == null ? evaluated(visible) : known;
  }

  private boolean evaluated(Entry visible) {
    try {
      return filter.matchesEntry(visible);
    } catch (LDAPException e) {
      throw new AssertionError(filter + " cannot be evaluated", e);
    }
  }
}
