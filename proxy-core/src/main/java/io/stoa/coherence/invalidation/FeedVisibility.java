// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.view.View;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Judges whether the feed's account sees the whole naming context.
 *
 * <ol>
 *   <li>An entry is proved visible by reading it.
 *   <li>The absence of hidden entries follows from access rules ({@link
 *       DomainConfig#coverageProved}), or from a number of confirmed changes.
 *   <li>A reported change is confirmed when a probe has read its CSN, or a later one that was
 *       reported, as the server's position.
 *   <li>A change that the server has counted and the feed has left out ends this trust, from either
 *       source.
 * </ol>
 *
 * <p>Threading: confined to the domain's thread.
 */
final class FeedVisibility {
  /** Maximum number of hidden places: 10,000. With more, everything counts as hidden. */
  private static final int MAX_HIDDEN = 10_000;

  /**
   * Maximum number of counted changes per origin that wait for their report; later ones are
   * ignored.
   */
  private static final int MAX_AWAITED = 1_000;

  /**
   * Maximum number of reported changes per origin without confirmation; the oldest are forgotten.
   */
  private static final int MAX_REPORTED = 1_000;

  private final DomainConfig config;
  private final DomainCounters counters;
  private final TreeSet<Octets> hiddenPositions = new TreeSet<>();
  private final Map<String, TreeSet<String>> awaitedMarks = new HashMap<>();
  private final Map<String, TreeSet<String>> reportedMarks = new HashMap<>();
  private final Map<String, String> lastMarks = new HashMap<>();

  /** Makes it without any evidence. */
  FeedVisibility(DomainConfig config, DomainCounters counters) {
    this.config = config;
    this.counters = counters;
  }

  /** True if the feed is trusted to report changes of entries that no view shows. */
  boolean isComplete() {
    return counters.confirmed() >= config.requiredConfirmations()
        || (config.coverageProved().getAsBoolean() && !counters.isRefuted());
  }

  /** Reports the position of the server as a probe has read it. */
  void onProbed(Position position) {
    position.marks().forEach(this::onProbed);
  }

  private void onProbed(String origin, String mark) {
    String lastMark = lastMarks.get(origin);
    if (isReported(origin, mark)) {
      confirm(origin, mark);
    } else if (lastMark != null && lastMark.compareTo(mark) < 0) {
      TreeSet<String> marks = awaitedMarks.computeIfAbsent(origin, none -> new TreeSet<>());
      if (marks.size() < MAX_AWAITED) {
        marks.add(mark);
      }
    }
  }

  private boolean isReported(String origin, String mark) {
    TreeSet<String> marks = reportedMarks.get(origin);
    return marks != null && marks.contains(mark);
  }

  /** Counts each change that was reported up to a mark, once. */
  private void confirm(String origin, String mark) {
    Set<String> marks = reportedMarks.getOrDefault(origin, new TreeSet<>()).headSet(mark, true);
    counters.addConfirmed(marks.size());
    marks.clear();
  }

  /** Called with the cookie of a reported change, before {@link #lastMarks}. */
  void onReported(Position position) {
    position.marks().forEach(this::onReported);
  }

  /** Ignores the first mark of an origin: it may have been counted before the feed began. */
  private void onReported(String origin, String mark) {
    String lastMark = lastMarks.get(origin);
    if (lastMark != null && lastMark.compareTo(mark) < 0) {
      TreeSet<String> marks = reportedMarks.computeIfAbsent(origin, none -> new TreeSet<>());
      marks.add(mark);
      if (marks.size() > MAX_REPORTED) {
        marks.pollFirst();
      }
    }
  }

  /**
   * Called when the feed has reported all changes up to a position, one by one.
   *
   * @return false if it has left out a change that the server had counted
   */
  boolean onCovered(Position position) {
    boolean all = true;
    for (Map.Entry<String, String> mark : position.marks().entrySet()) {
      all &= onCovered(mark.getKey(), mark.getValue());
    }
    return all;
  }

  private boolean onCovered(String origin, String mark) {
    lastMarks.merge(origin, mark, (earlier, next) -> next.compareTo(earlier) > 0 ? next : earlier);
    TreeSet<String> marks = awaitedMarks.get(origin);
    if (marks == null) {
      return true;
    }
    if (marks.remove(mark) && isReported(origin, mark)) {
      confirm(origin, mark);
    }
    Set<String> missing = marks.headSet(mark);
    boolean all = missing.isEmpty();
    if (!all) {
      missing.clear();
      reportedMarks.clear();
    }
    return all;
  }

  /**
   * Called when the feed may report many changes at once, so that a single one cannot be found
   * missing.
   */
  void onInterrupted() {
    awaitedMarks.clear();
    reportedMarks.clear();
    lastMarks.clear();
  }

  /** Marks a place where a client was shown an entry that the feed does not see. */
  void hide(NormalDn dn) {
    Octets position = dn.treePosition();
    hiddenPositions.add(
        position == null || hiddenPositions.size() >= MAX_HIDDEN ? Octets.EMPTY : position);
  }

  /** True if something is hidden at or below the base of the view. */
  boolean isHidden(View view) {
    Octets base = view.query().base().treePosition();
    Octets next = base == null ? null : hiddenPositions.ceiling(base);
    boolean below = next != null && next.beginsWith(base == null ? Octets.EMPTY : base);
    return base == null || below || hiddenPositions.contains(Octets.EMPTY);
  }
}
