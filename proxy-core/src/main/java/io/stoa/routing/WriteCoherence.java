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
 * For a while after a write, all reads in its naming context go to the server that took the write,
 * since others may not have it yet (lloadd's write coherence). What is in no known naming context
 * counts as being in all. Thread-safe.
 */
public final class WriteCoherence {
  private final Supplier<Duration> time;
  private final NamingContexts contexts;
  private final Map<Octets, Mark> byContext = new ConcurrentHashMap<>();
  private volatile @Nullable Mark anywhere;
  private volatile @Nullable Mark everywhere;

  /** Makes it for a time, which may be zero, and another one the next time. */
  public WriteCoherence(Supplier<Duration> time, NamingContexts contexts) {
    this.time = time;
    this.contexts = contexts;
  }

  /**
   * Who took a write, and until when it is asked. Immutable.
   *
   * @param aloneUntil until when it is asked whatever others tell, since they cannot tell of a
   *     write that was begun before its server told how far it had got
   */
  record Mark(long until, Backend server, long aloneUntil) {
    boolean holds(long now) {
      return until - now > 0;
    }

    /** Whether no other server can tell that it has all writes. */
    boolean alone() {
      return aloneUntil - System.nanoTime() > 0;
    }

    /** It is asked, as long as the other keeps from others, too. */
    Mark with(Mark other) {
      boolean longer = other.aloneUntil - aloneUntil > 0;
      return longer ? new Mark(until, server, other.aloneUntil) : this;
    }

    /** A later one does not end what an earlier one keeps from others. */
    Mark then(Mark later) {
      return later.with(this);
    }
  }

  /**
   * A write has been answered by a server, or will not be.
   *
   * @param told whether servers can tell that they have it
   */
  void written(Request request, Backend server, boolean told) {
    long now = System.nanoTime();
    long nanos = time.get().toNanos();
    Mark mark = new Mark(now + nanos, server, told ? now : now + nanos);
    List<NormalDn> targets = contexts.targets(request);
    List<NormalDn> written = targets.stream().flatMap(contexts::of).toList();
    written.forEach(context -> byContext.merge(context.octets(), mark, Mark::then));
    mark(mark, targets.isEmpty() || targets.stream().anyMatch(this::isInNone));
  }

  private synchronized void mark(Mark mark, boolean all) {
    everywhere = all ? after(everywhere, mark) : everywhere;
    anywhere = after(anywhere, mark);
  }

  private boolean isInNone(NormalDn dn) {
    return contexts.of(dn).findAny().isEmpty();
  }

  private static Mark after(@Nullable Mark earlier, Mark mark) {
    return earlier == null ? mark : earlier.then(mark);
  }

  /** Which server must answer a read, since others may not have a write yet; null if any may. */
  @Nullable Mark writer(Request request) {
    long now = System.nanoTime();
    Mark last = anywhere;
    if (last == null || !last.holds(now)) {
      return null;
    }
    List<NormalDn> targets = contexts.targets(request);
    return targets.isEmpty() ? last : preferred(marks(targets), among(targets, last, now), now);
  }

  private Stream<@Nullable Mark> marks(List<NormalDn> targets) {
    return targets.stream().flatMap(contexts::of).map(context -> byContext.get(context.octets()));
  }

  /** What may concern a read, though it is not in its naming context. */
  private @Nullable Mark among(List<NormalDn> targets, Mark last, long now) {
    Mark all = everywhere;
    Mark held = all != null && all.holds(now) ? all : null;
    boolean unknown = targets.stream().anyMatch(this::isInNone);
    return unknown ? preferred(Stream.ofNullable(held), last, now) : held;
  }

  /** Who took what surely concerns it goes before who took what may, unless it is gone. */
  private static @Nullable Mark preferred(
      Stream<@Nullable Mark> sure, @Nullable Mark unsure, long now) {
    Mark first = together(sure, now);
    if (first == null || unsure == null) {
      return first == null ? unsure : first;
    }
    boolean gone = unsure.server.answers() && !first.server.answers();
    return gone ? unsure.with(first) : first.with(unsure);
  }

  /** The server has gone for good: reads go where they went without its writes. */
  public synchronized void forget(Backend server) {
    byContext.values().removeIf(mark -> mark.server == server);
    Mark all = everywhere;
    everywhere = all == null || all.server == server ? null : all;
    anywhere =
        together(
            Stream.concat(byContext.values().stream(), Stream.ofNullable(everywhere)),
            System.nanoTime());
  }

  /** The latest of those that hold, with what earlier ones keep from others. */
  private static @Nullable Mark together(Stream<@Nullable Mark> marks, long now) {
    return marks
        .filter(Objects::nonNull)
        .filter(mark -> mark.holds(now))
        .sorted(Comparator.comparing(Mark::until))
        .reduce(Mark::then)
        .orElse(null);
  }
}
