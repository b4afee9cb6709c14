// SPDX-License-Identifier: Apache-2.0
package io.stoa.realm;

import io.stoa.change.Position;
import io.stoa.ldap.Octets;
import io.stoa.match.NormalDn;
import io.stoa.view.View;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the feed is known to see. That it sees an entry is proved by reading it as the feed's
 * identity; that nothing is hidden from it cannot be read anywhere. So it is believed only after so
 * many changes that the server has counted have all been told, until one is missing. Confined to
 * the realm's thread.
 */
final class Sight {
  /** More hidden places than these are not told apart: then everything is taken for hidden. */
  private static final int MOST_HIDDEN = 10_000;

  /** Counted changes that have not been told yet; more are not looked at. */
  private static final int MOST_AWAITED = 1_000;

  private final int needed;
  private final TreeSet<Octets> hidden = new TreeSet<>();
  private final Map<String, TreeSet<String>> awaited = new HashMap<>();
  private final Map<String, String> heard = new HashMap<>();
  private final Map<String, String> proved = new HashMap<>();
  private int proofs;

  /** Sees whatever it has proved so often; with none needed, it is taken for granted. */
  Sight(int needed) {
    this.needed = needed;
  }

  /** Whether changes of entries that no view shows are believed to be told, too. */
  boolean isWide() {
    return proofs >= needed;
  }

  /** The server has counted its changes up to there. */
  void probed(Position position) {
    position.marks().forEach(this::probed);
  }

  private void probed(String origin, String mark) {
    String known = heard.get(origin);
    int order = known == null ? -1 : known.compareTo(mark);
    if (order == 0) {
      proved(origin, mark);
    } else if (order < 0 && known != null) {
      TreeSet<String> waiting = awaited.computeIfAbsent(origin, none -> new TreeSet<>());
      if (waiting.size() < MOST_AWAITED) {
        waiting.add(mark);
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
    if (waiting.remove(mark)) {
      proved(origin, mark);
    }
    Set<String> missing = waiting.headSet(mark);
    boolean all = missing.isEmpty();
    if (!all) {
      missing.clear();
      proofs = 0;
    }
    return all;
  }

  /** The same change proves it only once. */
  private void proved(String origin, String mark) {
    String before = proved.get(origin);
    if (proofs < needed && (before == null || before.compareTo(mark) < 0)) {
      proved.put(origin, mark);
      proofs++;
    }
  }

  /** The feed tells of many changes at once now: which of them it has told cannot be seen. */
  void interrupted() {
    awaited.clear();
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
