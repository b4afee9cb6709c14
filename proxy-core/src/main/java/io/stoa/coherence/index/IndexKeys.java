// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.CoveringKeys;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys under which one view is registered, and from which it is removed. Equality is by
 * identity. Views under one key are found in an order that depends only on the order of
 * registration.
 *
 * <p>Threading: immutable.
 */
public final class IndexKeys {
  private final Object view;
  private final Query query;
  private final @Nullable List<CoveringKeys.Key> keys;
  private final List<Uuid> members;
  private final List<Octets> places;
  private final List<Octets> uncertainPlaces;
  private final int number;

  IndexKeys(
      Object view,
      Query query,
      @Nullable List<CoveringKeys.Key> keys,
      List<Uuid> members,
      Names names) {
    this.view = view;
    this.query = query;
    this.keys = keys;
    this.members = members;
    this.places = names.places();
    this.uncertainPlaces = names.doubtful();
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
    return keys;
  }

  /** Returns the entries under which the view is registered. */
  public List<Uuid> members() {
    return members;
  }

  List<Octets> places() {
    return places;
  }

  List<Octets> doubtful() {
    return uncertainPlaces;
  }
}
