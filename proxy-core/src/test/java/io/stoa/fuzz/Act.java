// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;

/**
 * One step of a script. Immutable.
 *
 * @param kind to whom the request is sent
 * @param who index of the identity that sends it
 * @param way for a write through Stoa: index of the Stoa
 */
record Act(Kind kind, int who, int way, RawRequest request) {
  /** To whom a request is sent. */
  enum Kind {
    /** To the directory and through every Stoa; the answers must be equal. */
    ASK,
    /** Once, through one Stoa. */
    WRITE_THROUGH,
    /** Once, to the directory, round every Stoa. */
    WRITE_ROUND
  }

  static Act ask(int who, RawRequest request) {
    return new Act(Kind.ASK, who, -1, request);
  }

  /** The same act for a state that has only one Stoa. */
  Act onlyThrough(int kept) {
    if (kind != Kind.WRITE_THROUGH) {
      return this;
    }
    Kind other = way == kept ? Kind.WRITE_THROUGH : Kind.WRITE_ROUND;
    return new Act(other, who, way == kept ? 0 : -1, request);
  }

  @Override
  public String toString() {
    String there = kind == Kind.WRITE_THROUGH ? kind + " " + way : kind.toString();
    return there + " as " + who + ": " + RawMessage.parse(request.encode(1)).decoded();
  }
}
