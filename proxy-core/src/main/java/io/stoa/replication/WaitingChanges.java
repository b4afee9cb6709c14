// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.replication.SessionGuarantees.Reading;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes that wait in Stoa, and have not been answered: their own sessions must not be shown
 * anything from before them. Thread-safe.
 */
public final class WaitingChanges {
  private final SessionGuarantees consistency;

  /** By sessions; only of those that have any. */
  private final Map<Object, Set<Waiting>> bySession = new ConcurrentHashMap<>();

  /** Makes it for no changes. */
  WaitingChanges(SessionGuarantees consistency) {
    this.consistency = consistency;
  }

  /**
   * A change that waits. Compared by identity: two may be alike.
   *
   * @param profile by which its place was found
   */
  private record Waiting(Object session, Footprint footprint, ServerProfile profile) {
    /** What it may touch: what places are called may have changed since. */
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
   * What a read has to do with what waits. Immutable.
   *
   * @param surely whether its answer may be another one afterwards, whatever it shows now
   * @param unseen what its answer must not show, else it may be another one afterwards
   */
  public record Concern(boolean surely, StaleCandidates unseen) {}

  /**
   * A change begins to wait.
   *
   * @param owner whose password it changes, by a request that has no target; null if it is no such
   *     change, or that is not known
   * @return to be run once, when it has been answered, or will not be
   */
  public Runnable add(Operation operation, Request request, byte @Nullable [] owner) {
    ServerProfile profile = consistency.profile();
    Footprint password = owner == null ? null : Footprint.ofPassword(owner, profile);
    Footprint footprint = password == null ? Footprint.written(request.op(), profile) : password;
    Waiting waiting = new Waiting(consistency.session(operation), footprint, profile);
    bySession.compute(waiting.session(), (session, all) -> with(all, waiting));
    return () -> remove(waiting);
  }

  private static Set<Waiting> with(@Nullable Set<Waiting> all, Waiting one) {
    Set<Waiting> more = all == null ? ConcurrentHashMap.newKeySet() : all;
    more.add(one);
    return more;
  }

  private void remove(Waiting waiting) {
    bySession.computeIfPresent(waiting.session(), (session, all) -> without(all, waiting));
  }

  private static @Nullable Set<Waiting> without(Set<Waiting> all, Waiting one) {
    all.remove(one);
    return all.isEmpty() ? null : all;
  }

  /** Whether nothing waits. */
  public boolean isEmpty() {
    return bySession.isEmpty();
  }

  /** What a read has to do with what waits of its own session; null if that is nothing. */
  public @Nullable Concern concern(Operation operation) throws LdapProtocolException {
    Set<Waiting> own = bySession.get(consistency.session(operation));
    Reading reading = own == null ? null : consistency.reading(operation, operation.request());
    if (own == null || reading == null) {
      return null;
    }
    Set<Octets> places = new HashSet<>();
    for (Waiting waiting : own) {
      Footprint change = waiting.at(reading.profile());
      if (change.wide() || reading.footprint().wide() || reading.footprint().meets(change)) {
        Octets place = change.place();
        if (place == null || !reading.tells(change)) {
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
