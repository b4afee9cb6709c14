// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Amounts;
import io.stoa.cli.output.CurvePoint;
import io.stoa.cli.output.Printable;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import io.stoa.cli.output.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl advise}. Threading: one instance for each run. */
@Command(
    name = "advise",
    description =
        "Prints changes that lessen load, each with its evidence from live traffic, and the hit "
            + "ratios that the caches would have with other sizes.",
    addMethodSubcommands = false)
final class AdviseCommand implements Callable<Integer> {
  private static final String PARENT = "cn=Advice,cn=monitor";
  private static final String ADVICE = "(objectClass=stoaAdvice)";
  private static final String CURVES = "(objectClass=stoaSizeCurve)";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Override
  public Integer call() throws StoaException {
    return stoactl.run(AdviseCommand::report);
  }

  @Command(
      name = "reset",
      description = "Forgets the counts of searches behind the advice, digests included.")
  int reset() throws StoaException {
    return stoactl.run(client -> Report.done("reset", "advice", client.act(PARENT, "reset")));
  }

  private static Report report(StoaClient client) throws StoaException {
    List<EntryValues> advice = client.below(PARENT, ADVICE, "*", "+");
    List<EntryValues> curves = client.below(PARENT, CURVES, "*", "+");
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put(Shapes.ADVICE.name(), advice.stream().map(Shapes.ADVICE::json).toList());
    json.put(Shapes.CURVES.name(), curves.stream().map(Shapes.CURVES::json).toList());
    List<String> lines = new ArrayList<>();
    advice.forEach(one -> addAdvice(lines, one));
    if (advice.isEmpty()) {
      lines.add("no advice: the searches so far show nothing to change");
      lines.add("");
    }
    curves.forEach(curve -> addCurve(lines, curve));
    return new Report(json, lines);
  }

  private static void addAdvice(List<String> lines, EntryValues advice) {
    lines.add(
        Printable.of(advice.text("stoaAdviceTopic") + ": " + advice.text("stoaAdviceSubject")));
    lines.add("  " + Printable.of(String.valueOf(advice.text("stoaAdviceEvidence"))));
    Shapes.adviceChange(advice).forEach(line -> lines.add("  > " + Printable.of(line)));
    lines.add("");
  }

  private static void addCurve(List<String> lines, EntryValues curve) {
    boolean reliable = Boolean.TRUE.equals(curve.bool("stoaCurveReliable"));
    lines.add(
        Printable.of(curve.name()) + (reliable ? "" : " (too few searches for an estimate)") + ":");
    TextTable table = new TextTable().row("  size", "hitRatio", "results", "entries", "memory", "");
    for (CurvePoint point : CurvePoint.of(curve)) {
      table.row(
          "  " + point.size(),
          Amounts.percent(point.hitRatio()),
          Amounts.count(point.results()),
          Amounts.count(point.entries()),
          Amounts.octets(point.octets()),
          mark(curve, point.size()));
    }
    lines.addAll(table.lines());
    lines.add("");
  }

  private static String mark(EntryValues curve, long size) {
    boolean present = size == curve.count("stoaCurveSize");
    boolean knee = size == curve.count("stoaCurveKnee");
    if (present) {
      return knee ? "now, knee" : "now";
    }
    return knee ? "knee" : "";
  }
}
