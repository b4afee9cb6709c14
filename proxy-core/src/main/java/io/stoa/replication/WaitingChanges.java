// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.replication.SessionGuarantees.ReadRequirement;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes that wait in Stoa and are not answered. Their own sessions must not be shown an older
 * state afterwards.
 *
 * <p>Threading: thread-safe.
 */
public final class WaitingChanges {
  private final SessionGuarantees consistency;

  /** Waiting writes by session; sessions without any have no entry. */
  private final Map<Object, Set<WaitingWrite>> bySession = new ConcurrentHashMap<>();

  /** Creates an empty set. */
  WaitingChanges(SessionGuarantees consistency) {
    this.consistency = consistency;
  }

  /**
   * A write that waits. Compared by identity, since two may be equal.
   *
   * @param profile schema by which its place was computed
   */
  private record WaitingWrite(Object session, Footprint footprint, ServerProfile profile) {
    /** Returns the entries that it may change; any entry if the schema has changed since. */
    Footprint at(ServerProfile present) {
      return present == profile ? footprint : Footprint.ANYWHERE;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  /**
   * How waiting writes affect a read. Immutable.
   *
   * @param certain true if the answer may be different afterwards, whatever it shows now
   * @param staleCandidates entries that the answer must not show, or it may be different afterwards
   */
  public record Concern(boolean certain, StaleCandidates staleCandidates) {}

  /**
   * Adds a write that begins to wait.
   *
   * @param owner name of the user whose password a request without a target changes; null for other
   *     requests, or if the user is not known
   * @return a task to run once the write is answered or abandoned
   */
  public Runnable add(Operation operation, Request request, byte @Nullable [] owner) {
    ServerProfile profile = consistency.profile();
    Footprint password = owner == null ? null : Footprint.ofPassword(owner, profile);
    Footprint footprint = password == null ? Footprint.written(request.op(), profile) : password;
    WaitingWrite waiting = new WaitingWrite(consistency.session(operation), footprint, profile);
    bySession.compute(waiting.session(), (session, all) -> with(all, waiting));
    return () -> remove(waiting);
  }

  private static Set<WaitingWrite> with(@Nullable Set<WaitingWrite> all, WaitingWrite one) {
    Set<WaitingWrite> more = all == null ? ConcurrentHashMap.newKeySet() : all;
    more.add(one);
    return more;
  }

  private void remove(WaitingWrite waiting) {
    bySession.computeIfPresent(waiting.session(), (session, all) -> without(all, waiting));
  }

  private static @Nullable Set<WaitingWrite> without(Set<WaitingWrite> all, WaitingWrite one) {
    all.remove(one);
    return all.isEmpty() ? null : all;
  }

  /** True if no write waits. */
  public boolean isEmpty() {
    return bySession.isEmpty();
  }

  /** Returns how the waiting writes of its own session affect a read; null if they do not. */
  public @Nullable Concern concern(Operation operation) throws LdapProtocolException {
    Set<WaitingWrite> own = bySession.get(consistency.session(operation));
    ReadRequirement reading =
        own == null ? null : consistency.reading(operation, operation.request());
    if (own == null || reading == null) {
      return null;
    }
    Set<Octets> places = new HashSet<>();
    for (WaitingWrite waiting : own) {
      Footprint change = waiting.at(reading.profile());
      if (change.wide() || reading.footprint().wide() || reading.footprint().overlaps(change)) {
        Octets place = change.place();
        if (place == null || !reading.showsEffectOf(change)) {
          return new Concern(true, new StaleCandidates(Set.of(), reading.profile()));
        }
        places.add(place);
      }
    }
    return places.isEmpty()
        ? null
        : new Concern(false, new StaleCandidates(places, reading.profile()));
  }
}
