// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.external.ExternalRules;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers binds by SASL EXTERNAL (RFC 4513, section 5.2.3) of clients that Stoa identifies by their
 * connections. If such a bind were forwarded, the directory would identify Stoa instead of the
 * client.
 *
 * <p>Threading: immutable.
 */
public final class ExternalBind {
  private static final int VERSION = 3;
  private static final int SUCCESS = 0;

  private final ExternalRules rules;
  private final BiPredicate<Octets, Octets> sameIdentity;

  /**
   * Creates an instance with these rules.
   *
   * @param sameIdentity true if two authorization identities denote the same client
   */
  public ExternalBind(ExternalRules rules, BiPredicate<Octets, Octets> sameIdentity) {
    this.rules = rules;
    this.sameIdentity = sameIdentity;
  }

  /** True if the bind is answered here. */
  public boolean handles(Operation operation, BindOp bind) {
    String mechanism = bind.saslMechanism();
    return mechanism != null
        && bind.version() == VERSION
        && SaslMechanism.isExternal(mechanism)
        && rules.mayMatch(operation.session().peer());
  }

  /**
   * Answers the bind.
   *
   * @param bound receives the client's identity before the response is sent
   */
  public void answer(Operation operation, BindOp bind, Consumer<ClientIdentity> bound) {
    Octets authzId = rules.authzId(operation.session().peer());
    Rejection refusal = refusal(operation, bind, authzId);
    if (authzId == null || refusal != null) {
      bound.accept(ClientIdentity.ANONYMOUS);
      operation.sink().reject(refusal == null ? Rejection.EXTERNAL_UNKNOWN : refusal);
    } else {
      bound.accept(ClientIdentity.external(authzId));
      operation.sink().complete(accepted(operation, authzId));
    }
  }

  private @Nullable Rejection refusal(Operation operation, BindOp bind, @Nullable Octets authzId) {
    if (authzId == null) {
      return Rejection.EXTERNAL_UNKNOWN;
    }
    return isSameIdentity(authzId, asserted(operation, bind))
        ? ExternalAnswers.refusal(operation)
        : Rejection.AUTHORIZATION_DENIED;
  }

  private static Octets asserted(Operation operation, BindOp bind) {
    if (bind.credentialsLength() <= 0) {
      return Octets.EMPTY;
    }
    ByteBuf body = operation.message().body();
    int start = body.readerIndex() + bind.credentialsOffset();
    return Octets.of(ByteBufUtil.getBytes(body, start, bind.credentialsLength()));
  }

  /**
   * True if the asserted identity is the client's own. An empty assertion asserts the client's own
   * identity; no client may assume another one.
   */
  private boolean isSameIdentity(Octets authzId, Octets asserted) {
    return asserted.length() == 0 || sameIdentity.test(authzId, asserted);
  }

  /**
   * Returns the success response. The authorization identity is included if the client requested it
   * (RFC 3829).
   */
  private static LdapMessage accepted(Operation operation, Octets authzId) {
    boolean requested =
        operation.request().controls().stream()
            .anyMatch(control -> control.oid().equals(Oids.AUTHZID_REQUEST));
    Control authzIdControl = new Control(Oids.AUTHZID_RESPONSE, false, authzId.array());
    byte[] op = LdapResult.encode(OpType.BIND_RESPONSE, SUCCESS, "").op();
    return LdapMessage.of(
        operation.messageId(), op, requested ? List.of(authzIdControl) : List.of());
  }
}
