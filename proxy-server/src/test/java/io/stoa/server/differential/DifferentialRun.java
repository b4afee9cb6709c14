// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.server.differential.Step.Expectation;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Runs a script direct against one directory and through Stoa against its twin, on connections of
 * the same names, and compares every answer octet for octet. Not thread-safe.
 */
public final class DifferentialRun {
  /** Success, compareFalse, compareTrue. */
  private static final Set<Integer> GRANTED = Set.of(0, 5, 6);

  /** Sorts entries, and leaves everything else where it is. */
  private static final Comparator<String> ENTRIES_IN_ORDER =
      Comparator.comparing((String message) -> message.charAt(0) != RawMessage.SEARCH_ENTRY)
          .thenComparing(message -> message.charAt(0) == RawMessage.SEARCH_ENTRY ? message : "");

  private final InetSocketAddress direct;
  private final InetSocketAddress throughStoa;
  private final Dialer dialer;
  private final Hits hits;
  private final ServerRules rules;
  private final Mask mask;
  private Report report = new Report();

  /** Makes it for two addresses, which are dialled in the same way. */
  public DifferentialRun(
      InetSocketAddress direct,
      InetSocketAddress throughStoa,
      Dialer dialer,
      Hits hits,
      ServerRules rules) {
    this.direct = direct;
    this.throughStoa = throughStoa;
    this.dialer = dialer;
    this.hits = hits;
    this.rules = rules;
    this.mask = new Mask(rules.attributes());
  }

  /** What the script found. What earlier ones have written stays masked. */
  public Report run(Script script) {
    report = new Report();
    try (Side a = new Side(direct, dialer);
        Side b = new Side(throughStoa, dialer)) {
      script.steps().forEach(step -> run(step, a, b));
    }
    report.masked(mask.masked());
    return report;
  }

  private void run(Step step, Side a, Side b) {
    report.request();
    List<RawMessage> expected = a.play(step);
    a.sent().forEach(request -> report.addRequest(requestKey(step, request)));
    if (!countRefusal(step, expected)) {
      a.sent().forEach(request -> WrittenEntries.of(request).forEach(mask::wrote));
    }
    compare(step, "", expected, b.play(step));
    if (step.isRepeated()) {
      long before = hits.now();
      compare(step, ", the second time", expected, b.play(step));
      countHits(step, rules.expectsHit(expected), hits.now() - before);
    }
  }

  private static String requestKey(Step step, RawRequest request) {
    byte[] octets = request.encode(1);
    return step.connection() + " " + new String(octets, StandardCharsets.ISO_8859_1);
  }

  private boolean countRefusal(Step step, List<RawMessage> answer) {
    boolean refused = !answer.isEmpty() && isRefusal(answer.get(answer.size() - 1));
    if (refused) {
      report.refused();
    } else if (step.refused() && rules.scriptFits()) {
      report.notRefused(step.toString());
    }
    return refused;
  }

  private static boolean isRefusal(RawMessage last) {
    return last.isFinal() && !GRANTED.contains(last.resultCode());
  }

  private void countHits(Step step, boolean kept, long gained) {
    boolean cacheable = step.expectation() == Expectation.CACHED && kept;
    if (cacheable) {
      report.cacheable();
    }
    if (!hits.counted()) {
      return;
    }
    if (cacheable && gained == 1) {
      report.hit();
    } else if (cacheable || (gained != 0 && mustNotBeKept(step))) {
      report.wrongHit(step + ": " + gained + " hits, expected " + (cacheable ? 1 : 0));
    }
  }

  /** Another kind of server may have answered what was to be refused. */
  private boolean mustNotBeKept(Step step) {
    return step.expectation() == Expectation.UNCACHED && (rules.scriptFits() || !step.refused());
  }

  private void compare(Step step, String time, List<RawMessage> expected, List<RawMessage> actual) {
    List<String> wanted = masked(expected);
    List<String> got = masked(actual);
    int i = 0;
    while (i < wanted.size() && i < got.size() && wanted.get(i).equals(got.get(i))) {
      i++;
    }
    if (i < wanted.size() || i < got.size()) {
      String where = step + time + ", response " + (i + 1);
      boolean allowed = step.otherwise() || kinds(expected).equals(kinds(actual));
      report.difference(
          allowed ? step.documented() : "",
          where + "\n  direct: " + at(i, wanted) + "\n  Stoa:   " + at(i, got));
    }
  }

  /** Of what kind the messages of an answer are, and its result. */
  private static List<String> kinds(List<RawMessage> answer) {
    return answer.stream()
        .map(message -> message.opTag() + (message.isFinal() ? " " + message.resultCode() : ""))
        .toList();
  }

  private static String at(int index, List<String> messages) {
    return index < messages.size() ? messages.get(index) : "nothing more";
  }

  /** The messages without what cannot be the same: octets as text of one character each. */
  private List<String> masked(List<RawMessage> messages) {
    List<String> all = new ArrayList<>();
    for (RawMessage message : messages) {
      all.add(mask.text(message));
    }
    if (!rules.ordered()) {
      all.sort(ENTRIES_IN_ORDER);
    }
    return all;
  }
}
