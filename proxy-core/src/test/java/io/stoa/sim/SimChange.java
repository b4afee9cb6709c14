// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.List;

/**
 * A change of one entry, or of the name of one with all below it. Immutable.
 *
 * @param to the flag that it sets, the new name, or the member; empty for a delete
 */
record SimChange(Kind kind, String dn, String to) {
  /** What is done. */
  enum Kind {
    MODIFY,
    ADD,
    DELETE,
    RENAME,
    /** Somebody comes into a group. */
    JOIN,
    /** Somebody leaves one. */
    LEAVE
  }

  RawRequest request() {
    return switch (kind) {
      case MODIFY -> Requests.replace(dn, SimTree.FLAG, to);
      case ADD -> Requests.add(dn, "objectClass: person", SimTree.FLAG + ": " + to);
      case DELETE -> Requests.delete(dn);
      case RENAME ->
          Requests.move(dn, to.substring(0, to.indexOf(',')), to.substring(to.indexOf(',') + 1));
      case JOIN -> member(ModificationType.ADD);
      case LEAVE -> member(ModificationType.DELETE);
    };
  }

  private RawRequest member(ModificationType type) {
    return Requests.modify(dn, new Modification(type, SimGroups.MEMBER, to));
  }

  /** The entries that it concerns. */
  List<String> names() {
    return kind == Kind.RENAME ? List.of(dn, to) : List.of(dn);
  }

  /** Those in which other values follow from it: who is in a group shows in the member. */
  List<String> derived() {
    return kind == Kind.JOIN || kind == Kind.LEAVE ? List.of(to) : List.of();
  }

  /** Whether those below them are concerned, too. */
  boolean deep() {
    return kind == Kind.RENAME;
  }

  /** Whether an entry is one of them. */
  boolean concerns(String name) {
    return isAt(name, dn) || (deep() && isAt(name, to));
  }

  private boolean isAt(String name, String place) {
    return name.equals(place) || (deep() && name.endsWith("," + place));
  }

  @Override
  public String toString() {
    return "%s %s %s".formatted(kind, dn, to);
  }
}
