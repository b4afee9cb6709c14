// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.upstream.server.Backend;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sends reads to the server that took a write in their naming context, for a while after it. Other
 * servers may not have the write yet (lloadd, "write coherence").
 *
 * <p>A write in no known naming context counts for all of them.
 *
 * <p>Threading: thread-safe.
 */
public final class WriteCoherence {
  private final Supplier<Duration> time;
  private final NamingContexts contexts;
  private final Map<Octets, WriteMark> byContext = new ConcurrentHashMap<>();
  private volatile @Nullable WriteMark latest;
  private volatile @Nullable WriteMark latestOutsideContexts;

  /**
   * Creates it.
   *
   * @param time duration of the coherence, which may be zero; read anew for each write
   */
  public WriteCoherence(Supplier<Duration> time, NamingContexts contexts) {
    this.time = time;
    this.contexts = contexts;
  }

  /**
   * The server of the latest write, and the time for which it answers reads. Immutable.
   *
   * @param until end of the time for which it answers reads
   * @param exclusiveUntil end of the time for which positions of other servers are ignored: they
   *     cannot cover a write that began before its server reported a position
   */
  record WriteMark(long until, Backend server, long exclusiveUntil) {
    boolean holds(long now) {
      return until - now > 0;
    }

    /** True if no other server's position can show that it has all writes. */
    boolean isExclusive() {
      return exclusiveUntil - System.nanoTime() > 0;
    }

    /** Returns this mark, with the later {@code exclusiveUntil} of both. */
    WriteMark with(WriteMark other) {
      boolean longer = other.exclusiveUntil - exclusiveUntil > 0;
      return longer ? new WriteMark(until, server, other.exclusiveUntil) : this;
    }

    /** Returns the mark of a later write, with the later {@code exclusiveUntil} of both. */
    WriteMark then(WriteMark later) {
      return later.with(this);
    }
  }

  /**
   * Called when a server has answered a write, or will not answer it.
   *
   * @param comparable true if positions can show which servers have the write
   */
  void onWrite(Request request, Backend server, boolean comparable) {
    long now = System.nanoTime();
    long nanos = time.get().toNanos();
    WriteMark mark = new WriteMark(now + nanos, server, comparable ? now : now + nanos);
    List<NormalDn> targets = contexts.targets(request);
    List<NormalDn> written = targets.stream().flatMap(contexts::of).toList();
    written.forEach(context -> byContext.merge(context.octets(), mark, WriteMark::then));
    mark(mark, targets.isEmpty() || targets.stream().anyMatch(this::isInNone));
  }

  private synchronized void mark(WriteMark mark, boolean outsideContexts) {
    latestOutsideContexts =
        outsideContexts ? after(latestOutsideContexts, mark) : latestOutsideContexts;
    latest = after(latest, mark);
  }

  private boolean isInNone(NormalDn dn) {
    return contexts.of(dn).findAny().isEmpty();
  }

  private static WriteMark after(@Nullable WriteMark earlier, WriteMark mark) {
    return earlier == null ? mark : earlier.then(mark);
  }

  /**
   * Returns the mark of the server that must answer a read, since others may lack a write; null if
   * any server may.
   */
  @Nullable WriteMark requiredServer(Request request) {
    long now = System.nanoTime();
    WriteMark last = latest;
    if (last == null || !last.holds(now)) {
      return null;
    }
    List<NormalDn> targets = contexts.targets(request);
    return targets.isEmpty() ? last : preferred(marks(targets), among(targets, last, now), now);
  }

  private Stream<@Nullable WriteMark> marks(List<NormalDn> targets) {
    return targets.stream().flatMap(contexts::of).map(context -> byContext.get(context.octets()));
  }

  /**
   * Returns the mark of writes that may concern a read although they are not in its naming context.
   */
  private @Nullable WriteMark among(List<NormalDn> targets, WriteMark last, long now) {
    WriteMark outside = latestOutsideContexts;
    WriteMark valid = outside != null && outside.holds(now) ? outside : null;
    boolean unknown = targets.stream().anyMatch(this::isInNone);
    return unknown ? preferred(Stream.ofNullable(valid), last, now) : valid;
  }

  /**
   * Returns the mark of a write that surely concerns the read, rather than one that may. The other
   * is preferred only if the first server no longer answers.
   */
  private static @Nullable WriteMark preferred(
      Stream<@Nullable WriteMark> sure, @Nullable WriteMark unsure, long now) {
    WriteMark first = latestValid(sure, now);
    if (first == null || unsure == null) {
      return first == null ? unsure : first;
    }
    boolean gone = unsure.server.isResponding() && !first.server.isResponding();
    return gone ? unsure.with(first) : first.with(unsure);
  }

  /** Removes the marks of a server that is gone for good. Its writes are then not required. */
  public synchronized void removeServer(Backend server) {
    byContext.values().removeIf(mark -> mark.server == server);
    WriteMark outside = latestOutsideContexts;
    latestOutsideContexts = outside == null || outside.server == server ? null : outside;
    latest =
        latestValid(
            Stream.concat(byContext.values().stream(), Stream.ofNullable(latestOutsideContexts)),
            System.nanoTime());
  }

  /** Returns the latest valid mark, with the latest {@code exclusiveUntil} of all. */
  private static @Nullable WriteMark latestValid(Stream<@Nullable WriteMark> marks, long now) {
    return marks
        .filter(Objects::nonNull)
        .filter(mark -> mark.holds(now))
        .sorted(Comparator.comparing(WriteMark::until))
        .reduce(WriteMark::then)
        .orElse(null);
  }
}
