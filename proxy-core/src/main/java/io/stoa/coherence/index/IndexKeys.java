// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.CoveringKeys;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where one view is filed: it is taken out of exactly these places. Immutable; equal by identity.
 * What shares a key is found in an order that follows from the order in which it was filed.
 */
public final class IndexKeys {
  private final Object view;
  private final Query query;
  private final @Nullable List<CoveringKeys.Key> keys;
  private final List<Uuid> members;
  private final List<Octets> places;
  private final List<Octets> doubtful;
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
    this.doubtful = names.doubtful();
    this.number = names.number();
  }

  /**
   * Names of the entries that a view holds. Immutable.
   *
   * @param number of the anchors: those of one index are counted
   * @param places of those that have no other place than this
   * @param doubtful at or below which the others are
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

  /** Null if it is filed under its base only. */
  @Nullable List<CoveringKeys.Key> keys() {
    return keys;
  }

  /** The entries that the view is found by. */
  public List<Uuid> members() {
    return members;
  }

  List<Octets> places() {
    return places;
  }

  List<Octets> doubtful() {
    return doubtful;
  }
}
