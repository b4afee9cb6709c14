// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.filter.ValueSlots.Slot;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.schema.KeyWriter;
import io.stoa.ldap.schema.SiblingNames;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cache key of all requests of one shape, without their values.
 *
 * <p>Octets: 32, those of the key, and a list with 24 for each value.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Two requests have the same key only if their templates have equal octets and their {@link
 *       #values} are equal.
 *   <li>Templates of different shapes may have equal octets: spelling and order of the filter do
 *       not matter.
 *   <li>The entry that a request names is the first value, if it is one.
 * </ol>
 *
 * <p>Threading: immutable.
 */
public final class QueryTemplate {
  private final Octets octets;
  private final @Nullable SiblingNames names;
  private final List<Slot> slots;
  private final FilterKey filterKey;

  /**
   * Creates a template.
   *
   * @param names the entries that requests of the shape name; null if the name is no value
   * @param slots the values of the filter or compare, in the order of the key
   */
  QueryTemplate(
      Octets octets, @Nullable SiblingNames names, List<Slot> slots, FilterKey filterKey) {
    this.octets = octets;
    this.names = names;
    this.slots = slots;
    this.filterKey = filterKey;
  }

  /** Returns the key without the values. */
  public Octets octets() {
    return octets;
  }

  /** Returns the entries that requests of the shape name; null if the name is no value. */
  public @Nullable SiblingNames names() {
    return names;
  }

  /** Returns the number of values. */
  public int count() {
    return slots.size() + (names == null ? 0 : 1);
  }

  /**
   * Returns the folded values of a scanned request, in the order of the key. Each is preceded by
   * its length if there is more than one.
   *
   * @param request a request of this shape
   */
  public byte[] values(RequestScanner request) {
    int count = count();
    if (count == 1) {
      return names == null ? filterValue(slots.get(0), request, 0) : name(names, request);
    }
    KeyWriter key = new KeyWriter(24 * count);
    if (names != null) {
      key.string(name(names, request));
    }
    int before = names == null ? 0 : 1;
    for (Slot slot : slots) {
      key.string(filterValue(slot, request, before));
    }
    return key.toByteArray();
  }

  private byte[] filterValue(Slot slot, RequestScanner request, int before) {
    return filterKey.fold(request.value(before + slot.index()), slot.rule());
  }

  private byte[] name(SiblingNames siblings, RequestScanner request) {
    return filterKey.fold(request.value(0), siblings.rule());
  }
}
