// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

/**
 * One step of a script: on which connection, and what is expected of it besides that the directory
 * and Stoa answer alike. Immutable.
 *
 * @param documented under which name a difference is documented; empty if there may be none
 * @param otherwise whether the answer may also be of another kind, and not only of other content
 */
record Step(
    String connection,
    String name,
    Expectation expectation,
    boolean refused,
    String documented,
    boolean otherwise,
    StepAction move) {

  enum Expectation {
    /** A read that Stoa must answer from memory when it is repeated. */
    CACHED,
    /** A read that must reach the directory each time. */
    UNCACHED,
    /** A read that Stoa may keep or not. */
    EITHER,
    /** Not repeated: a write, a bind, one step of several. */
    ONCE
  }

  boolean isRepeated() {
    return expectation != Expectation.ONCE;
  }

  @Override
  public String toString() {
    return name + " on " + connection;
  }
}
