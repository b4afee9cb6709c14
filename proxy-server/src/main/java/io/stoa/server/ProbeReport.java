// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.net.transport.Plural;
import io.stoa.proxy.preflight.PreflightFinding;
import io.stoa.proxy.preflight.PreflightFinding.CheckOutcome;
import io.stoa.server.config.JsonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The findings of {@code check-config --probe}, as text and as JSON. Texts of servers are shown
 * without control characters.
 *
 * <p>Threading: immutable.
 *
 * @param file the configuration file
 */
record ProbeReport(String file, List<PreflightFinding> findings) {
  /** Returns the number of findings with an outcome. */
  long count(CheckOutcome outcome) {
    return findings.stream().filter(one -> one.outcome() == outcome).count();
  }

  /** Returns the lines for users: a heading for each subject, and a summary at the end. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    String subject = "";
    for (PreflightFinding one : findings) {
      if (!one.subject().equals(subject)) {
        subject = one.subject();
        lines.add(printable(subject));
      }
      lines.add(printable(line(one.outcome().word(), one.check(), one.text())));
      if (!one.remedy().isEmpty()) {
        lines.add(printable(line("", "", "remedy: " + one.remedy())));
      }
    }
    lines.add(file + ": " + summary());
    return lines;
  }

  private static String line(String word, String check, String text) {
    return String.format(Locale.ROOT, "  %-8s %-22s %s", word, check, text);
  }

  private String summary() {
    long failed = count(CheckOutcome.FAILED);
    return (failed == 0 ? "ok" : Plural.of(failed, "failure"))
        + ", "
        + Plural.of(count(CheckOutcome.WARNING), "warning");
  }

  /** Returns one JSON value on one line. */
  String json() {
    StringBuilder json = new StringBuilder("{\"file\":").append(JsonText.quoted(file));
    json.append(",\"failed\":").append(count(CheckOutcome.FAILED));
    json.append(",\"warnings\":").append(count(CheckOutcome.WARNING));
    json.append(",\"findings\":[");
    for (int i = 0; i < findings.size(); i++) {
      PreflightFinding one = findings.get(i);
      json.append(i == 0 ? "{" : ",{");
      json.append("\"subject\":").append(JsonText.quoted(one.subject()));
      json.append(",\"check\":").append(JsonText.quoted(one.check()));
      json.append(",\"outcome\":").append(JsonText.quoted(one.outcome().word()));
      json.append(",\"text\":").append(JsonText.quoted(one.text()));
      json.append(",\"remedy\":").append(JsonText.quoted(one.remedy())).append('}');
    }
    return json.append("]}").toString();
  }

  private static String printable(String text) {
    StringBuilder printable = new StringBuilder();
    text.chars().forEach(one -> printable.append(JsonText.isControl(one) ? '?' : (char) one));
    return printable.toString();
  }
}
