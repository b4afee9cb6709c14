// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import io.stoa.proxy.preflight.PreflightFinding.CheckOutcome;
import java.util.ArrayList;
import java.util.List;

/**
 * The findings about one subject, in the order of the checks.
 *
 * <p>Threading: thread-safe.
 */
final class Findings {
  private final String subject;
  private final List<PreflightFinding> all = new ArrayList<>();

  Findings(String subject) {
    this.subject = subject;
  }

  void ok(String check, String text) {
    add(check, CheckOutcome.OK, text, "");
  }

  void note(String check, String text, String remedy) {
    add(check, CheckOutcome.NOTE, text, remedy);
  }

  void warning(String check, String text, String remedy) {
    add(check, CheckOutcome.WARNING, text, remedy);
  }

  void failed(String check, String text, String remedy) {
    add(check, CheckOutcome.FAILED, text, remedy);
  }

  void skipped(String check, String text) {
    add(check, CheckOutcome.SKIPPED, text, "");
  }

  private synchronized void add(String check, CheckOutcome outcome, String text, String remedy) {
    all.add(new PreflightFinding(subject, check, outcome, text, remedy));
  }

  synchronized List<PreflightFinding> all() {
    return List.copyOf(all);
  }
}
