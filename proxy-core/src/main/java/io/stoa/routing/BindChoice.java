// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapProtocolException;
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
 * Chooses the server of a bind. All binds of one name go to one server while it is up: a directory
 * counts wrong passwords where they arrive, and of several servers each would allow as many.
 * Event-loop confined.
 *
 * @param affinity whether that is wanted
 * @param any chooses for what any server may answer
 */
record BindChoice(
    ServerGroup branch, NamingContexts contexts, BooleanSupplier affinity, ServerChoice any) {
  private static final int HASH_FACTOR = 31;
  private static final int LOWER_CASE = 0x20;
  private static final byte SPACE = ' ';

  /**
   * Chooses one.
   *
   * @param avoid where it was not answered: the server comes last; null if there is none
   * @param eligible which servers may be asked at all
   * @return null if none of these can be used
   */
  @Nullable Backend of(Operation bind, @Nullable Backend avoid, Predicate<Backend> eligible)
      throws LdapProtocolException {
    BindOp op = (BindOp) bind.request().op();
    if (!affinity.getAsBoolean()
        || op.authentication() == BindAuthentication.SASL
        || op.name().length == 0) {
      return any.of(bind, avoid, eligible);
    }
    long key = key(contexts.normal(op.name()));
    Predicate<Backend> others = eligible.and(backend -> backend.answers() && backend != avoid);
    Predicate<Backend> knowing = any.freshness().knowing(bind, others);
    Backend best = branch.home(knowing.and(Backend::up), key);
    best = best == null ? branch.home(knowing, key) : best;
    best = best == null ? branch.home(others.and(Backend::up), key) : best;
    return best == null ? branch.home(eligible, key) : best;
  }

  /** Spellings that a directory may tell apart share a server, which does no harm. */
  private static long key(Octets name) {
    long key = 0;
    for (byte octet : name.array()) {
      key = octet == SPACE ? key : key * HASH_FACTOR + (octet | LOWER_CASE);
    }
    return key;
  }
}
