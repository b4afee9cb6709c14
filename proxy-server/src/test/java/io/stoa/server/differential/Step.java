// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.util.List;
import java.util.function.Function;

/**
 * One request of the script: on which connection, and what is expected of it besides that the
 * directory and Stoa answer alike. The request may depend on the answer that the same side gave to
 * the step before (cookies, identifiers). Immutable.
 */
record Step(
    String connection,
    String name,
    Expectation expectation,
    boolean refused,
    Function<List<RawMessage>, RawRequest> request) {

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
