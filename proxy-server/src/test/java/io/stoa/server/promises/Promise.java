// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What Stoa does where others fail, and the tests that prove it. Immutable.
 *
 * @param what what happens, or what users complain about
 * @param where who reported it, or empty
 * @param answer what Stoa does about it
 * @param tests {@code Class.method}
 */
record Promise(String what, String where, String answer, List<String> tests) {
  static Promise of(String what, String where, String answer, String... tests) {
    return new Promise(what, where, answer, List.of(tests));
  }

  /** As a row of a table. */
  String row() {
    String source = where.isEmpty() ? "" : " (" + where + ")";
    String proofs = tests.stream().map(test -> "`" + test + "`").collect(Collectors.joining(", "));
    return "| " + what + source + " | " + answer + " | " + proofs + " |";
  }
}
