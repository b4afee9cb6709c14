// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.operation.Operation;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.server.Backend;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the server of a bind.
 *
 * <p>With affinity, all simple binds of one name go to one server while it is up. A directory
 * server counts wrong passwords where they arrive, so several servers would each allow as many.
 *
 * <p>Threading: event loop.
 *
 * @param affinity true if binds have affinity
 * @param any chooses among all servers where affinity does not apply
 */
record BindChoice(
    ServerGroup branch, NamingContexts contexts, BooleanSupplier affinity, ServerChoice any) {
  private static final int HASH_FACTOR = 31;
  private static final int LOWER_CASE = 0x20;
  private static final byte SPACE = ' ';

  /**
   * Returns the server for a bind.
   *
   * @param avoid server that did not answer, used last; null if there is none
   * @param eligible true for servers that may be used at all
   * @return the server; null if no eligible server is usable
   */
  @Nullable Backend of(Operation bind, @Nullable Backend avoid, Predicate<Backend> eligible) {
    BindOp op = (BindOp) bind.request().op();
    if (!hasAffinity(op)) {
      return any.of(bind, avoid, eligible);
    }
    long key = key(contexts.normal(op.name()));
    Predicate<Backend> others = eligible.and(backend -> backend.isResponding() && backend != avoid);
    Predicate<Backend> knowing = any.eligibility().eligible(bind, others);
    Backend best = branch.serverForKey(knowing.and(Backend::isUp), key);
    best = best == null ? branch.serverForKey(knowing, key) : best;
    best = best == null ? branch.serverForKey(others.and(Backend::isUp), key) : best;
    return best == null ? branch.serverForKey(eligible, key) : best;
  }

  /** True if the name of the bind selects its server. With one server no name is parsed. */
  private boolean hasAffinity(BindOp op) {
    return any.eligibility().hasChoice()
        && affinity.getAsBoolean()
        && op.authentication() != BindAuthentication.SASL
        && op.name().length > 0;
  }

  /**
   * Returns a hash of a name. Spellings that a directory distinguishes may share a server, without
   * harm.
   */
  private static long key(Octets name) {
    long key = 0;
    for (byte octet : name.array()) {
      key = octet == SPACE ? key : key * HASH_FACTOR + (octet | LOWER_CASE);
    }
    return key;
  }
}
