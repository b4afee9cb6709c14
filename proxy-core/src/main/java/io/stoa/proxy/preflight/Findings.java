// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import io.stoa.proxy.preflight.Finding.Outcome;
import java.util.ArrayList;
import java.util.List;

/**
 * The findings about one subject, in the order of the checks.
 *
 * <p>Threading: thread-safe.
 */
final class Findings {
  private final String subject;
  private final List<Finding> all = new ArrayList<>();

  Findings(String subject) {
    this.subject = subject;
  }

  void ok(String check, String text) {
    add(check, Outcome.OK, text, "");
  }

  void note(String check, String text, String remedy) {
    add(check, Outcome.NOTE, text, remedy);
  }

  void warning(String check, String text, String remedy) {
    add(check, Outcome.WARNING, text, remedy);
  }

  void failed(String check, String text, String remedy) {
    add(check, Outcome.FAILED, text, remedy);
  }

  void skipped(String check, String text) {
    add(check, Outcome.SKIPPED, text, "");
  }

  private synchronized void add(String check, Outcome outcome, String text, String remedy) {
    all.add(new Finding(subject, check, outcome, text, remedy));
  }

  synchronized List<Finding> all() {
    return List.copyOf(all);
  }
}
