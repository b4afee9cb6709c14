// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a programme has printed: steps ({@code == name}), each with what the library made of the
 * answer and at last {@code result: code}. Immutable.
 */
record Transcript(String text) {
  /** What a directory makes up anew for each write, and cookies that only it can read. */
  private static final Pattern VOLATILE =
      Pattern.compile(
          "(?m)^( *(?:entryCSN|modifyTimestamp): |cookie: |pagedresults: (?:estimate=\\S+ )?cookie="
              + "|control: 1\\.2\\.840\\.113556\\.1\\.4\\.319 false )\\S+$");

  /**
   * What directories offer where it cannot work: StartTLS inside TLS, EXTERNAL and LDAPv2 behind a
   * proxy.
   */
  private static final Pattern NOT_OFFERED =
      Pattern.compile(
          "(?m)^ *(?:supportedExtension: 1\\.3\\.6\\.1\\.4\\.1\\.1466\\.20037"
              + "|supportedSASLMechanisms: EXTERNAL"
              + "|supportedLDAPVersion: 2)\\n");

  /** How many entries a directory guesses a paged search to have. */
  private static final Pattern ESTIMATE =
      Pattern.compile("(?m)^(size: |pagedresults: estimate=)\\d+");

  private static final Pattern RESULT = Pattern.compile("(?m)^result: (\\d+)$");

  /** The steps in which another transcript says something else, and what. */
  List<String> differences(Transcript other) {
    List<String> mine = masked();
    List<String> theirs = other.masked();
    List<String> differences = new ArrayList<>();
    for (int i = 0; i < Math.max(mine.size(), theirs.size()); i++) {
      String expected = i < mine.size() ? mine.get(i) : "nothing more";
      String actual = i < theirs.size() ? theirs.get(i) : "nothing more";
      if (!expected.equals(actual)) {
        differences.add("direct: " + expected + "\nStoa: " + actual);
      }
    }
    return differences;
  }

  /** The steps, without the values that differ from time to time, by their names. */
  private List<String> masked() {
    return steps(VOLATILE.matcher(text).replaceAll("$1*"));
  }

  private static List<String> steps(String text) {
    return Arrays.stream(text.split("(?m)^== ", -1)).filter(step -> !step.isEmpty()).toList();
  }

  /** The same without what is honestly not offered. */
  Transcript withoutOffers() {
    return new Transcript(NOT_OFFERED.matcher(text).replaceAll(""));
  }

  /** The same without estimates, which need not be true. */
  Transcript withoutEstimates() {
    return new Transcript(ESTIMATE.matcher(text).replaceAll("$1*"));
  }

  /** The same without the messageIDs that ldapsearch prints: StartTLS takes one. */
  Transcript withoutMessageIds() {
    return new Transcript(text.replaceAll("(?m)^search: \\d+$", "search: *"));
  }

  /** How each step ended, in their order; -1 for a step without a result. */
  Map<String, Integer> results() {
    Map<String, Integer> results = new LinkedHashMap<>();
    for (String step : steps(text)) {
      results.put(step.lines().findFirst().orElseThrow(), lastResult(step));
    }
    return results;
  }

  private static int lastResult(String step) {
    return RESULT
        .matcher(step)
        .results()
        .map(match -> Integer.valueOf(match.group(1)))
        .reduce(-1, (before, last) -> last);
  }
}
