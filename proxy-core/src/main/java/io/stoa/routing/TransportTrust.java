// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapProtocolException;
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
 * Which servers may be given what an operation's client has bound with, or writes: whoever protects
 * a password by TLS on its way to Stoa does not expect it in the clear behind it. Stateless.
 */
final class TransportTrust {
  private TransportTrust() {}

  /** The servers to which the operation may be sent on a connection that is bound as its client. */
  static Predicate<Backend> in(Operation operation) throws LdapProtocolException {
    boolean secret =
        operation.type() == OpType.BIND_REQUEST
            ? operation.session().tls() && hasSecret((BindOp) operation.request().op())
            : boundByTls(operation.session().identity().credentials()) || brings(operation);
    return secret ? TransportTrust::isProtected : TransportTrust::isAny;
  }

  /**
   * Of some servers, those that surely know the password, if another has refused it lately. As long
   * as none of these answers, others may be asked that need no password.
   *
   * @param serving which have a connection that can serve the client
   */
  static Predicate<Backend> bound(
      Operation operation,
      ServerGroup branch,
      Predicate<Backend> trusted,
      Predicate<Backend> serving) {
    Credentials own = operation.session().identity().credentials();
    if (own == null || !own.doubted()) {
      return trusted;
    }
    Predicate<Backend> sure = trusted.and(Backend::primary);
    if (has(branch, sure.and(Backend::answers))) {
      return sure;
    }
    return has(branch, sure.and(Backend::usable)) ? sure.or(trusted.and(serving)) : trusted;
  }

  private static boolean has(ServerGroup branch, Predicate<Backend> which) {
    return branch.backends().stream().anyMatch(which);
  }

  /** The servers to which the operation may be sent on a connection that is bound as another. */
  static Predicate<Backend> asService(Operation operation) {
    return brings(operation) ? TransportTrust::isProtected : TransportTrust::isAny;
  }

  private static boolean isProtected(Backend backend) {
    return !backend.exposed();
  }

  private static boolean isAny(Backend backend) {
    return true;
  }

  /** What is written may be a password. */
  private static boolean brings(Operation operation) {
    return operation.session().tls() && operation.mayChange();
  }

  /** What SASL mechanisms send is taken for one, if not in the first step then in a later one. */
  private static boolean hasSecret(BindOp bind) {
    return bind.authentication() == BindAuthentication.SASL || bind.credentialsLength() != 0;
  }

  private static boolean boundByTls(@Nullable Credentials credentials) {
    return credentials != null && credentials.byTls();
  }
}
