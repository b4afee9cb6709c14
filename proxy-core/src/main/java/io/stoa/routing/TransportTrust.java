// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.operation.Credentials;
import io.stoa.operation.Operation;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.server.Backend;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides which servers may receive a client's secrets, by the transport of both sides. A password
 * that reached Stoa by TLS is not sent on in the clear.
 *
 * <p>Threading: stateless.
 */
final class TransportTrust {
  private TransportTrust() {}

  /**
   * Returns a test for servers that may receive the operation on a connection bound as its client.
   */
  static Predicate<Backend> forClient(Operation operation) {
    boolean secret =
        operation.type() == OpType.BIND_REQUEST
            ? operation.session().isTls() && hasSecret((BindOp) operation.request().op())
            : boundByTls(operation.session().identity().credentials())
                || mayContainSecret(operation);
    return secret ? TransportTrust::isProtected : TransportTrust::isAny;
  }

  /**
   * Narrows servers for a client whose password was refused lately: only a primary surely knows the
   * present password. If no primary answers, servers that need no bind for it may also be used.
   *
   * @param serving true for servers with a connection that can serve the client
   */
  static Predicate<Backend> confirmedForClient(
      Operation operation,
      ServerGroup group,
      Predicate<Backend> trusted,
      Predicate<Backend> serving) {
    Credentials credentials = operation.session().identity().credentials();
    if (credentials == null || !credentials.isDoubted()) {
      return trusted;
    }
    Predicate<Backend> sure = trusted.and(Backend::isPrimary);
    if (hasServer(group, sure.and(Backend::isResponding))) {
      return sure;
    }
    return hasServer(group, sure.and(Backend::isUsable)) ? sure.or(trusted.and(serving)) : trusted;
  }

  private static boolean hasServer(ServerGroup group, Predicate<Backend> eligible) {
    return group.backends().stream().anyMatch(eligible);
  }

  /**
   * Returns a test for servers that may receive the operation on a connection of the service
   * account.
   */
  static Predicate<Backend> forService(Operation operation) {
    return mayContainSecret(operation) ? TransportTrust::isProtected : TransportTrust::isAny;
  }

  private static boolean isProtected(Backend backend) {
    return !backend.isExposed();
  }

  private static boolean isAny(Backend backend) {
    return true;
  }

  /** True if the request may contain a password: a write by TLS. */
  private static boolean mayContainSecret(Operation operation) {
    return operation.session().isTls() && operation.mayChange();
  }

  /** True if a bind contains a secret. A SASL bind does, in its first step or a later one. */
  private static boolean hasSecret(BindOp bind) {
    return bind.authentication() == BindAuthentication.SASL || bind.credentialsLength() != 0;
  }

  private static boolean boundByTls(@Nullable Credentials credentials) {
    return credentials != null && credentials.isByTls();
  }
}
