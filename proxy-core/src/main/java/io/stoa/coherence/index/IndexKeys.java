// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.CoveringKeys;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys under which one view is registered, and from which it is removed. Equality is by
 * identity. Views under one key are found in an order that depends only on the order of
 * registration.
 *
 * <p>Octets: 40, those of the keys, and 16 and 4 for each element of a list. A list of one element,
 * the usual case, is kept as that element.
 *
 * <p>Threading: immutable.
 */
public final class IndexKeys {
  private static final Object[] NONE = {};

  private final Object view;
  private final Query query;
  private final @Nullable Object keys;
  private final Object members;
  private final Object places;
  private final Object uncertainPlaces;
  private final int number;

  IndexKeys(
      Object view,
      Query query,
      @Nullable List<CoveringKeys.Key> keys,
      List<Uuid> members,
      Names names) {
    this.view = view;
    this.query = query;
    this.keys = keys == null ? null : packed(keys);
    this.members = packed(members);
    this.places = packed(names.places());
    this.uncertainPlaces = packed(names.doubtful());
    this.number = names.number();
  }

  /**
   * Names of the entries that a view holds. Immutable.
   *
   * @param number sequence number within the index
   * @param places sort keys of names that are compared by known rules
   * @param doubtful places at or below which the other names are
   */
  record Names(int number, List<Octets> places, List<Octets> doubtful) {}

  private static Object packed(List<?> elements) {
    return elements.isEmpty() ? NONE : elements.size() == 1 ? elements.get(0) : elements.toArray();
  }

  @SuppressWarnings("unchecked") // packed from elements of that class
  private static <T> List<T> unpacked(Object packed) {
    return packed instanceof Object[] all ? (List<T>) Arrays.asList(all) : List.of((T) packed);
  }

  @Override
  public int hashCode() {
    return number;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return this == other;
  }

  Object view() {
    return view;
  }

  Query query() {
    return query;
  }

  /** Null if the view is registered only under its base. */
  @Nullable List<CoveringKeys.Key> keys() {
    return keys == null ? null : unpacked(keys);
  }

  /** Returns the entries under which the view is registered. */
  public List<Uuid> members() {
    return unpacked(members);
  }

  List<Octets> places() {
    return unpacked(places);
  }

  List<Octets> doubtful() {
    return unpacked(uncertainPlaces);
  }
}
