// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.List;

/**
 * A change of one entry, or of the name of one with all below it. Immutable.
 *
 * @param to the flag that it sets, or the new name; empty for a delete
 */
record SimChange(Kind kind, String dn, String to) {
  /** What is done. */
  enum Kind {
    MODIFY,
    ADD,
    DELETE,
    RENAME
  }

  RawRequest request() {
    return switch (kind) {
      case MODIFY -> Requests.replace(dn, SimTree.FLAG, to);
      case ADD -> Requests.add(dn, "objectClass: person", SimTree.FLAG + ": " + to);
      case DELETE -> Requests.delete(dn);
      case RENAME ->
          Requests.move(dn, to.substring(0, to.indexOf(',')), to.substring(to.indexOf(',') + 1));
    };
  }

  /** The entries that it concerns. */
  List<String> names() {
    return kind == Kind.RENAME ? List.of(dn, to) : List.of(dn);
  }

  /** Whether those below them are concerned, too. */
  boolean deep() {
    return kind == Kind.RENAME;
  }

  @Override
  public String toString() {
    return "%s %s %s".formatted(kind, dn, to);
  }
}
