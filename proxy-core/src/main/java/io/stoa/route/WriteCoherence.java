// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.ldap.Octets;
import io.stoa.ldap.Request;
import io.stoa.ldap.RequestOp.ModifyDnOp;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
  private final Map<Octets, Long> untilByContext = new ConcurrentHashMap<>();
  private volatile long anywhereUntil = System.nanoTime();
  private volatile long everywhereUntil = System.nanoTime();

  /** Makes it for a time that may be zero. */
  public WriteCoherence(Duration time, Supplier<ServerProfile> profile) {
    this.nanos = time.toNanos();
    this.profile = profile;
  }

  /** A write has been answered, or will not be. */
  void written(@Nullable Request request) {
    long until = System.nanoTime() + nanos;
    List<NormalDn> targets = request == null ? List.of() : targets(request);
    List<NormalDn> contexts = targets.stream().flatMap(this::contexts).toList();
    if (targets.isEmpty() || targets.stream().anyMatch(dn -> contexts(dn).findAny().isEmpty())) {
      everywhereUntil = until;
    }
    contexts.forEach(context -> untilByContext.put(context.octets(), until));
    anywhereUntil = until;
  }

  /** Whether a read must be answered by the server that takes the writes. */
  boolean primaryOnly(Request request) {
    long now = System.nanoTime();
    if (anywhereUntil - now <= 0) {
      return false;
    }
    List<NormalDn> targets = targets(request);
    return everywhereUntil - now > 0
        || targets.isEmpty()
        || targets.stream().anyMatch(dn -> recent(dn, now));
  }

  private boolean recent(NormalDn dn, long now) {
    List<NormalDn> contexts = contexts(dn).toList();
    return contexts.isEmpty()
        || contexts.stream().anyMatch(c -> untilByContext.getOrDefault(c.octets(), now) - now > 0);
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
