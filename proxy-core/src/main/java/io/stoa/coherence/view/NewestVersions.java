// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that nobody is shown an older state of an entry after a newer one: of two views that
 * show it the one with the older state is not to be used. Who shows a state is entered in the index
 * first, and looks here then, with a full fence in between: so of two of them one sees the other.
 *
 * <p>Thread-safe. An entry that is shown by few views is looked for in all of these. Of one that
 * many show it is kept which state is the newest, so that each state is looked for once, and not
 * once for each view.
 */
final class NewestVersions {
  private static final int FEW = 32;

  private final Map<Uuid, State> states = new ConcurrentHashMap<>();

  /**
   * A state of an entry that many views show. Immutable.
   *
   * @param life since it was begun to be kept
   * @param whole whether no view shows a newer one: who comes later says so here
   * @param alone whether no view shows an older one but such as are about to be changed
   */
  private record State(Object life, Csn csn, boolean whole, boolean alone) {
    State or(Csn other) {
      return csn.compareTo(other) < 0 ? new State(life, other, whole, false) : this;
    }

    /** Nothing newer than one of the two is shown; nothing older than the first, if so said. */
    State looked(Csn own, Csn newest, boolean killed) {
      State next = or(newest);
      return new State(life, next.csn, true, next.alone || (killed && next.csn.equals(own)));
    }
  }

  /** Whether any view shows a newer state of an entry. */
  boolean isSurpassed(PredicateIndex<View> index, Uuid uuid, Csn csn) {
    State known = seen(index, uuid, csn);
    if (known != null && (known.whole() || known.csn().compareTo(csn) > 0)) {
      return known.csn().compareTo(csn) > 0;
    }
    Look look = new Look(uuid, csn);
    index.holders(uuid, look::at);
    looked(known, look, false);
    return look.newest.compareTo(csn) > 0;
  }

  /** Kills all that shows an older state; false if a newer one is shown. */
  boolean supersedes(PredicateIndex<View> index, Uuid uuid, Csn csn) {
    State known = seen(index, uuid, csn);
    if (known != null && known.csn().compareTo(csn) > 0) {
      return false;
    }
    Look look = new Look(uuid, csn);
    if (known == null || !known.whole() || !known.alone()) {
      index.holders(uuid, look::atAndKillOlder);
      looked(known, look, true);
    }
    return look.newest.compareTo(csn) <= 0;
  }

  /**
   * A view shows them no more: nothing is kept of those that few others show. To forget one is
   * never wrong: whoever comes next looks at all that show it.
   */
  void left(PredicateIndex<View> index, Collection<Uuid> uuids) {
    if (!states.isEmpty()) {
      for (Uuid uuid : uuids) {
        if (states.containsKey(uuid) && index.holders(uuid) <= FEW) {
          states.remove(uuid);
        }
      }
    }
  }

  /** Of how many entries something is kept. */
  int count() {
    return states.size();
  }

  /** Says that a state is shown; null if so few show the entry that nothing is kept of it. */
  private @Nullable State seen(PredicateIndex<View> index, Uuid uuid, Csn csn) {
    if (index.holders(uuid) <= FEW) {
      states.remove(uuid);
      return null;
    }
    State now = states.get(uuid);
    if (now != null && now.csn().compareTo(csn) >= 0) {
      return now; // this says nothing new: most of many show the newest
    }
    State first = new State(new Object(), csn, false, false);
    return states.merge(uuid, first, (known, one) -> known.or(csn));
  }

  private void looked(@Nullable State before, Look look, boolean killed) {
    if (before != null) {
      states.computeIfPresent(
          look.uuid,
          (same, now) ->
              now.life() == before.life() ? now.looked(look.own, look.newest, killed) : now);
    }
  }

  /** One look at all views that show an entry. Confined to one thread. */
  private static final class Look {
    private final Uuid uuid;
    private final Csn own;
    private Csn newest;

    Look(Uuid uuid, Csn own) {
      this.uuid = uuid;
      this.own = own;
      this.newest = own;
    }

    void at(View view) {
      Csn csn = view.members().csn(uuid);
      if (csn != null && csn.compareTo(newest) > 0 && view.state() != ViewState.DEAD) {
        newest = csn;
      }
    }

    void atAndKillOlder(View view) {
      at(view);
      Csn csn = view.members().csn(uuid);
      if (csn != null && csn.compareTo(own) < 0) {
        view.kill(InvalidationCause.EVIDENCE);
      }
    }
  }
}
