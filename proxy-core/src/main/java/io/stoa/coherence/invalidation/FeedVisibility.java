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
 * Judges whether the feed's account sees the whole naming context. That the account sees an entry
 * is proved by reading it. That nothing is hidden follows from rules of access ({@link
 * RealmConfig#covered}), or is believed after a number of changes have been told. Both end at the
 * first change that the server has counted and the feed has left out. A change that was told counts
 * when a position of the server, read by a probe, is that of this change or of a later one that was
 * told, too. Confined to the realm's thread.
 */
final class FeedVisibility {
  /** More hidden places than these are not told apart: then everything is taken for hidden. */
  private static final int MOST_HIDDEN = 10_000;

  /** Counted changes that have not been told yet; more are not looked at. */
  private static final int MOST_AWAITED = 1_000;

  /** Changes that were told, and that no probe has confirmed yet; the oldest are forgotten. */
  private static final int MOST_TOLD = 1_000;

  private final RealmConfig config;
  private final RealmCounters counters;
  private final TreeSet<Octets> hidden = new TreeSet<>();
  private final Map<String, TreeSet<String>> awaited = new HashMap<>();
  private final Map<String, TreeSet<String>> told = new HashMap<>();
  private final Map<String, String> heard = new HashMap<>();

  /** Knows nothing. */
  FeedVisibility(RealmConfig config, RealmCounters counters) {
    this.config = config;
    this.counters = counters;
  }

  /** True if changes of entries that no view shows are believed to be told, too. */
  boolean isWide() {
    return counters.told() >= config.proofs()
        || (config.covered().getAsBoolean() && !counters.isRefuted());
  }

  /** The server has counted its changes up to there. */
  void probed(Position position) {
    position.marks().forEach(this::probed);
  }

  private void probed(String origin, String mark) {
    String known = heard.get(origin);
    if (isTold(origin, mark)) {
      confirm(origin, mark);
    } else if (known != null && known.compareTo(mark) < 0) {
      TreeSet<String> waiting = awaited.computeIfAbsent(origin, none -> new TreeSet<>());
      if (waiting.size() < MOST_AWAITED) {
        waiting.add(mark);
      }
    }
  }

  private boolean isTold(String origin, String mark) {
    TreeSet<String> marks = told.get(origin);
    return marks != null && marks.contains(mark);
  }

  /** What was told until then counts, each change once. */
  private void confirm(String origin, String mark) {
    Set<String> marks = told.getOrDefault(origin, new TreeSet<>()).headSet(mark, true);
    counters.told(marks.size());
    marks.clear();
  }

  /** The feed has told of a change that has these marks; before {@link #heard}. */
  void told(Position position) {
    position.marks().forEach(this::told);
  }

  /** The first one may have been counted before the feed began. */
  private void told(String origin, String mark) {
    String known = heard.get(origin);
    if (known != null && known.compareTo(mark) < 0) {
      TreeSet<String> marks = told.computeIfAbsent(origin, none -> new TreeSet<>());
      marks.add(mark);
      if (marks.size() > MOST_TOLD) {
        marks.pollFirst();
      }
    }
  }

  /**
   * The feed has told of changes up to there, one by one.
   *
   * @return false if it has left out one that the server had counted
   */
  boolean heard(Position position) {
    boolean all = true;
    for (Map.Entry<String, String> mark : position.marks().entrySet()) {
      all &= heard(mark.getKey(), mark.getValue());
    }
    return all;
  }

  private boolean heard(String origin, String mark) {
    heard.merge(origin, mark, (known, next) -> next.compareTo(known) > 0 ? next : known);
    TreeSet<String> waiting = awaited.get(origin);
    if (waiting == null) {
      return true;
    }
    if (waiting.remove(mark) && isTold(origin, mark)) {
      confirm(origin, mark);
    }
    Set<String> missing = waiting.headSet(mark);
    boolean all = missing.isEmpty();
    if (!all) {
      missing.clear();
      told.clear();
    }
    return all;
  }

  /** The feed tells of many changes at once now: which of them it has told cannot be seen. */
  void interrupted() {
    awaited.clear();
    told.clear();
    heard.clear();
  }

  /** Somebody has been shown an entry there that the feed does not see. */
  void hide(NormalDn dn) {
    Octets place = dn.place();
    hidden.add(place == null || hidden.size() >= MOST_HIDDEN ? Octets.EMPTY : place);
  }

  /** Whether something is hidden where the view looks. */
  boolean isHidden(View view) {
    Octets base = view.query().base().place();
    Octets next = base == null ? null : hidden.ceiling(base);
    boolean below = next != null && next.beginsWith(base == null ? Octets.EMPTY : base);
    return base == null || below || hidden.contains(Octets.EMPTY);
  }
}
