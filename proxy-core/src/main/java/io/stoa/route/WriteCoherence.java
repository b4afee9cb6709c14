// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.backend.Backend;
import io.stoa.ldap.Octets;
import io.stoa.ldap.Request;
import io.stoa.ldap.RequestOp.ModifyDnOp;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;
import java.time.Duration;
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
  private final long nanos;
  private final Supplier<ServerProfile> profile;
  private final Map<Octets, Mark> byContext = new ConcurrentHashMap<>();
  private volatile @Nullable Mark anywhere;
  private volatile @Nullable Mark everywhere;

  /** Makes it for a time that may be zero. */
  public WriteCoherence(Duration time, Supplier<ServerProfile> profile) {
    this.nanos = time.toNanos();
    this.profile = profile;
  }

  /** Who took a write, and until when it is asked. */
  private record Mark(long until, Backend server) {
    boolean holds(long now) {
      return until - now > 0;
    }
  }

  /** A write has been answered by a server, or will not be. */
  void written(Request request, Backend server) {
    Mark mark = new Mark(System.nanoTime() + nanos, server);
    List<NormalDn> targets = targets(request);
    List<NormalDn> contexts = targets.stream().flatMap(this::contexts).toList();
    if (targets.isEmpty() || targets.stream().anyMatch(dn -> contexts(dn).findAny().isEmpty())) {
      everywhere = mark;
    }
    contexts.forEach(context -> byContext.put(context.octets(), mark));
    anywhere = mark;
  }

  /** The server that must answer a read, since others may not have a write yet; null if any may. */
  @Nullable Backend writer(Request request) {
    long now = System.nanoTime();
    Mark last = anywhere;
    if (last == null || !last.holds(now)) {
      return null;
    }
    List<NormalDn> targets = targets(request);
    Mark all = everywhere;
    Mark mark =
        targets.isEmpty()
            ? last
            : targets.stream()
                .map(dn -> mark(dn, last, now))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(all);
    return mark != null && mark.holds(now) ? mark.server() : null;
  }

  private @Nullable Mark mark(NormalDn dn, Mark last, long now) {
    List<NormalDn> contexts = contexts(dn).toList();
    return contexts.isEmpty()
        ? last
        : contexts.stream()
            .map(context -> byContext.get(context.octets()))
            .filter(mark -> mark != null && mark.holds(now))
            .findFirst()
            .orElse(null);
  }

  /** The naming contexts that hold the entry, or are held by its subtree. */
  private Stream<NormalDn> contexts(NormalDn dn) {
    return profile.get().namingContexts().stream()
        .filter(context -> dn.isBelowOrEqual(context) || context.isBelowOrEqual(dn));
  }

  private List<NormalDn> targets(Request request) {
    if (request.op() instanceof ModifyDnOp move && move.newSuperior() != null) {
      return Stream.of(move.entry(), move.newSuperior()).map(this::dn).toList();
    }
    byte[] name = request.op().target();
    return name == null ? List.of() : List.of(dn(name));
  }

  private NormalDn dn(byte[] octets) {
    return NormalDn.of(octets, profile.get());
  }
}
