// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.view.View;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A view that is to be proved to be seen by the feed. Confined to the realm's thread. */
final class PendingView {
  private final View view;
  private final boolean absent;
  private final boolean atHome;
  private final Map<Uuid, NormalDn> names = new HashMap<>();
  private final Set<Uuid> entries = new HashSet<>();
  private final Set<NormalDn> places = new HashSet<>();
  private final Set<Uuid> doubted = new HashSet<>();
  private boolean failed;
  private boolean decided;

  /**
   * Of an answer.
   *
   * @param atHome whether it came from the server of the feed
   */
  PendingView(Result result, View view, boolean atHome) {
    this.atHome = atHome;
    this.view = view;
    this.absent = result.absent();
    result.shown().forEach(shown -> names.put(shown.uuid(), shown.dn()));
    entries.addAll(names.keySet());
  }

  View view() {
    return view;
  }

  /** Whether its answer came from the server that the feed comes from. */
  boolean isAtHome() {
    return atHome;
  }

  /** Whether its answer is that the base is not there. */
  boolean isAbsent() {
    return absent;
  }

  /** Whether an entry that it does not show may change it. */
  boolean isWide() {
    return view.isWide();
  }

  @Nullable NormalDn name(Uuid uuid) {
    return names.get(uuid);
  }

  /** The entries of which it is not known yet whether the feed sees them. */
  Set<Uuid> entries() {
    return Set.copyOf(entries);
  }

  void isOpen(NormalDn place) {
    places.add(place);
  }

  void isSeen(Uuid uuid) {
    entries.remove(uuid);
  }

  void isKnown(NormalDn place) {
    places.remove(place);
  }

  /** Not seen as it is shown; true if that has been so before. */
  boolean doubt(Uuid uuid) {
    return !doubted.add(uuid);
  }

  /** It cannot be proved. */
  void fail() {
    failed = true;
  }

  /** Whether there is nothing more to find out. */
  boolean isDecided() {
    return failed || view.isDead() || (entries.isEmpty() && places.isEmpty());
  }

  /** It is decided; false if it has been before. */
  boolean decide() {
    boolean first = !decided;
    decided = true;
    return first;
  }

  boolean isProved() {
    return !failed && !view.isDead() && entries.isEmpty() && places.isEmpty();
  }
}
