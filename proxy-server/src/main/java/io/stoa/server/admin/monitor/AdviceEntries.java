// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.ghost.CurveStatus;
import io.stoa.cache.ghost.CurveStatus.SizePoint;
import io.stoa.proxy.advice.Advice;
import io.stoa.proxy.advice.AdviceReport;
import io.stoa.server.localtree.TreeEntry;
import java.util.List;
import java.util.Locale;

/**
 * Entries of advice and of hit ratios by size below {@code cn=Advice,cn=monitor}, for the
 * administrator. Threading: confined to the thread that builds the answer.
 */
final class AdviceEntries {
  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  AdviceEntries(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  void add() {
    if (!snapshot.showsClients()) {
      return;
    }
    TreeEntry parent =
        entries.add("Advice", "cn=Monitor", "monitorContainer", "Changes that lessen load.");
    parent.setActions(snapshot.offers().advice());
    AdviceReport report = snapshot.advice();
    if (report == null) {
      return;
    }
    add("Filter cache sizes", report.byResults(), parent.dn());
    add("Entry cache sizes", report.byEntries(), parent.dn());
    List<Advice> all = report.advice();
    for (int index = 0; index < all.size(); index++) {
      add(Integer.toString(index + 1), all.get(index), parent.dn());
    }
  }

  private void add(String name, CurveStatus curve, String parent) {
    TreeEntry entry =
        entries
            .add(name, parent, "stoaSizeCurve")
            .operational("stoaCurveSampled", Long.toString(curve.sampled()))
            .operational("stoaCurveReliable", curve.isReliable() ? "TRUE" : "FALSE")
            .operational("stoaCurveSize", Long.toString(curve.present().size()))
            .operational("stoaCurveExpired", ratio(curve.expired()))
            .operational("stoaCurveMeanAge", Long.toString(curve.meanAge().toMillis()))
            .operational(
                "stoaCurvePoint",
                curve.points().stream().map(AdviceEntries::text).toArray(String[]::new));
    if (!curve.isRising()) {
      entry.operational("stoaCurveKnee", Long.toString(curve.knee().size()));
    }
  }

  private static String text(SizePoint point) {
    return point.size()
        + " "
        + ratio(point.hitRatio())
        + " "
        + point.results()
        + " "
        + point.entries()
        + " "
        + point.octets();
  }

  private static String ratio(double share) {
    return String.format(Locale.ROOT, "%.4f", share);
  }

  private void add(String name, Advice advice, String parent) {
    entries
        .add(name, parent, "stoaAdvice")
        .operational("stoaAdviceTopic", advice.topic().word())
        .operational("stoaAdviceSubject", advice.subject())
        .operational("stoaAdviceEvidence", advice.evidence())
        .operational("stoaAdviceChange", MonitorTree.ordered(advice.change()));
  }
}
