// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.server.differential.Step.Expectation;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Runs a script direct against one directory and through Stoa against its twin, on connections of
 * the same names, and compares every answer octet for octet. Not thread-safe.
 */
final class DifferentialRun {
  /** Success, compareFalse, compareTrue. */
  private static final Set<Integer> GRANTED = Set.of(0, 5, 6);

  private final InetSocketAddress direct;
  private final InetSocketAddress throughStoa;
  private final Dialer dialer;
  private final Hits hits;
  private final ServerRules rules;
  private final Mask mask;
  private final Report report = new Report();

  /** Makes it for two addresses, which are dialled in the same way. */
  DifferentialRun(
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

  Report run(Script script) {
    try (Side a = new Side(direct, dialer);
        Side b = new Side(throughStoa, dialer)) {
      script.steps().forEach(step -> run(step, a, b));
    }
    report.masked(mask.masked());
    return report;
  }

  private void run(Step step, Side a, Side b) {
    report.request();
    RawRequest toA = a.request(step);
    RawRequest toB = b.request(step);
    List<RawMessage> expected = a.run(step, toA);
    if (!countRefusal(step, expected)) {
      Written.by(toA).forEach(mask::wrote);
    }
    compare(step, "", expected, b.run(step, toB));
    if (step.isRepeated()) {
      long before = hits.now();
      compare(step, ", the second time", expected, b.run(step, toB));
      countHits(step, rules.expectsHit(expected), hits.now() - before);
    }
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
    for (int i = 0; i < Math.max(expected.size(), actual.size()); i++) {
      String wanted = i < expected.size() ? expected.get(i).toString() : "nothing more";
      String got = i < actual.size() ? actual.get(i).toString() : "nothing more";
      if (i >= expected.size() || i >= actual.size() || !alike(expected.get(i), actual.get(i))) {
        report.difference(
            step + time + ", response " + (i + 1) + "\n  direct: " + wanted + "\n  Stoa:   " + got);
        return;
      }
    }
  }

  private boolean alike(RawMessage expected, RawMessage actual) {
    return Arrays.equals(mask.apply(expected), mask.apply(actual));
  }
}
