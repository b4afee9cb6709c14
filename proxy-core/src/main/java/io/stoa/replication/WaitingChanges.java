// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
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
  private final SessionGuarantees guarantees;

  /** Waiting writes of each session, with their footprints; sessions without any have no entry. */
  private final Map<Object, Map<Object, Footprint>> bySession = new ConcurrentHashMap<>();

  /** Creates an empty set. */
  WaitingChanges(SessionGuarantees guarantees) {
    this.guarantees = guarantees;
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
   * @return a task to run, at least once, when the write is answered or abandoned
   */
  public Runnable add(Operation operation, Request request, byte @Nullable [] owner) {
    Object session = guarantees.session(operation);
    Object write = new Object();
    Footprint footprint = Footprint.written(request.op(), owner, guarantees.profile());
    bySession.compute(session, (any, all) -> with(all, write, footprint));
    return () -> bySession.computeIfPresent(session, (any, all) -> without(all, write));
  }

  private static Map<Object, Footprint> with(
      @Nullable Map<Object, Footprint> all, Object write, Footprint footprint) {
    Map<Object, Footprint> writes = all == null ? new ConcurrentHashMap<>() : all;
    writes.put(write, footprint);
    return writes;
  }

  private static @Nullable Map<Object, Footprint> without(
      Map<Object, Footprint> all, Object write) {
    all.remove(write);
    return all.isEmpty() ? null : all;
  }

  /** True if no write waits. */
  public boolean isEmpty() {
    return bySession.isEmpty();
  }

  /** Returns how the waiting writes of its own session affect a read; null if they do not. */
  public @Nullable Concern concern(Operation operation) {
    Map<Object, Footprint> sessionChanges = bySession.get(guarantees.session(operation));
    ReadRequirement requirement =
        sessionChanges == null ? null : guarantees.reading(operation, operation.request());
    if (sessionChanges == null || requirement == null) {
      return null;
    }
    Set<Octets> places = new HashSet<>();
    for (Footprint change : sessionChanges.values()) {
      if (change.wide()
          || requirement.footprint().wide()
          || requirement.footprint().overlaps(change)) {
        Octets place = change.place();
        if (place == null || !requirement.showsEffectOf(change)) {
          return new Concern(true, new StaleCandidates(Set.of(), requirement.profile()));
        }
        places.add(place);
      }
    }
    return places.isEmpty()
        ? null
        : new Concern(false, new StaleCandidates(places, requirement.profile()));
  }
}
