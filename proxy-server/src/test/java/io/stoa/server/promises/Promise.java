// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A row of a generated table: a defect or an invariant, and the tests that prove it. Threading:
 * immutable.
 *
 * @param what the complaint, the input, the bug or the number of the invariant
 * @param where reports of the complaint, or empty
 * @param answer behaviour of Stoa, or the invariant
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
