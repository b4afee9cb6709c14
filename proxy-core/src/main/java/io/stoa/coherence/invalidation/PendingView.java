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

/**
 * A view that is not yet proved visible to the feed, with the entries and names to be proved.
 *
 * <p>Threading: confined to the domain's thread.
 */
final class PendingView {
  private final View view;
  private final boolean absent;
  private final boolean fromFeedServer;
  private final Map<Uuid, ReadResult.Shown> shown = new HashMap<>();
  private final Set<Uuid> unverifiedEntries = new HashSet<>();
  private final Set<NormalDn> unverifiedNames = new HashSet<>();
  private final Set<Uuid> unseenEntries = new HashSet<>();
  private boolean failed;
  private boolean decided;

  /**
   * Makes it for an answer.
   *
   * @param fromFeedServer true if the answer came from the server of the feed
   */
  PendingView(ReadResult result, View view, boolean fromFeedServer) {
    this.fromFeedServer = fromFeedServer;
    this.view = view;
    this.absent = result.absent();
    result.shown().forEach(entry -> shown.put(entry.uuid(), entry));
    unverifiedEntries.addAll(shown.keySet());
  }

  View view() {
    return view;
  }

  /** True if the answer came from the server of the feed. */
  boolean isFromFeedServer() {
    return fromFeedServer;
  }

  /** True if the answer says that the base does not exist. */
  boolean isAbsent() {
    return absent;
  }

  /** True if an entry that the view does not show may change it. */
  boolean isWide() {
    return view.mayGainEntries();
  }

  /** Returns an entry as the answer shows it; null if it does not. */
  ReadResult.@Nullable Shown shown(Uuid uuid) {
    return shown.get(uuid);
  }

  /** Returns the entries that are not yet proved visible to the feed. */
  Set<Uuid> unverifiedEntries() {
    return Set.copyOf(unverifiedEntries);
  }

  void addName(NormalDn name) {
    unverifiedNames.add(name);
  }

  void markSeen(Uuid uuid) {
    unverifiedEntries.remove(uuid);
  }

  void markKnown(NormalDn name) {
    unverifiedNames.remove(name);
  }

  /**
   * Records that the feed does not see the entry as the answer shows it; true if this happened
   * before.
   */
  boolean markUnseen(Uuid uuid) {
    return !unseenEntries.add(uuid);
  }

  /** Marks that the view cannot be proved. */
  void fail() {
    failed = true;
  }

  /** True if nothing is left to find out. */
  boolean isDecided() {
    return failed || view.isInvalid() || (unverifiedEntries.isEmpty() && unverifiedNames.isEmpty());
  }

  /** Marks the view as decided; returns false if it was decided before. */
  boolean decide() {
    boolean first = !decided;
    decided = true;
    return first;
  }

  boolean isProved() {
    return !failed && !view.isInvalid() && unverifiedEntries.isEmpty() && unverifiedNames.isEmpty();
  }
}
