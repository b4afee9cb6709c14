// SPDX-License-Identifier: Apache-2.0
package io.stoa.identity;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.stoa.external.ExternalRules;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.BerWriter;
import io.stoa.ldap.Control;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.Octets;
import io.stoa.ldap.Oids;
import io.stoa.ldap.OpType;
import io.stoa.ldap.RequestOp.BindOp;
import io.stoa.ldap.RequestOp.ExtendedOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What Stoa answers by itself to clients that it knows by their connections: binds by SASL EXTERNAL
 * (RFC 4513, section 5.2.3), which would name Stoa if they were forwarded, and then Who Am I (RFC
 * 4532), since directories answer that as the account that is bound. Immutable.
 */
public final class ExternalBind {
  private static final int VERSION = 3;
  private static final int SUCCESS = 0;
  private static final int RESPONSE_VALUE = 0x8B;

  /** What may be critical: it is granted, or concerns a password or a log, and there is none. */
  private static final Set<String> KNOWN =
      Set.of(Oids.AUTHZID_REQUEST, Oids.PASSWORD_POLICY, Oids.SESSION_TRACKING);

  private static final Set<String> OF_OTHERS = Set.of(Oids.PROXIED_AUTHZ_V1, Oids.PROXIED_AUTHZ_V2);

  private final ExternalRules rules;

  /** Makes it. */
  public ExternalBind(ExternalRules rules) {
    this.rules = rules;
  }

  /** Whether the bind is one that is answered here. */
  public boolean takes(Operation operation, BindOp bind) {
    String mechanism = bind.saslMechanism();
    return mechanism != null
        && bind.version() == VERSION
        && SaslMechanism.isExternal(mechanism)
        && rules.mayConcern(operation.session().peer());
  }

  /**
   * Answers the bind.
   *
   * @param bound hears who the client is now, before it gets the answer
   */
  public void answer(Operation operation, BindOp bind, Consumer<ClientIdentity> bound)
      throws LdapProtocolException {
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

  private static @Nullable Rejection refusal(
      Operation operation, BindOp bind, @Nullable Octets authzId) throws LdapProtocolException {
    if (authzId == null) {
      return Rejection.EXTERNAL_UNKNOWN;
    }
    return isOf(authzId, asserted(operation, bind))
        ? refusal(operation)
        : Rejection.AUTHORIZATION_DENIED;
  }

  private static @Nullable Rejection refusal(Operation operation) throws LdapProtocolException {
    List<Control> controls = operation.request().controls();
    if (controls.stream().anyMatch(control -> OF_OTHERS.contains(control.oid()))) {
      return Rejection.AUTHORIZATION_DENIED;
    }
    boolean unknown = controls.stream().anyMatch(c -> c.critical() && !KNOWN.contains(c.oid()));
    return unknown ? Rejection.CRITICAL_CONTROL : null;
  }

  private static Octets asserted(Operation operation, BindOp bind) {
    if (bind.credentialsLength() <= 0) {
      return Octets.EMPTY;
    }
    ByteBuf body = operation.message().body();
    int start = body.readerIndex() + bind.credentialsOffset();
    return Octets.of(ByteBufUtil.getBytes(body, start, bind.credentialsLength()));
  }

  /** No assertion is one of whom the client is; no client may be anybody else. */
  private static boolean isOf(Octets authzId, Octets asserted) {
    return asserted.length() == 0
        || asserted.equals(authzId)
        || OwnConnections.ofAuthzId(authzId).contains(asserted);
  }

  /** With the authorization identity, if the client has asked for it (RFC 3829). */
  private static LdapMessage accepted(Operation operation, Octets authzId)
      throws LdapProtocolException {
    boolean asked =
        operation.request().controls().stream()
            .anyMatch(control -> control.oid().equals(Oids.AUTHZID_REQUEST));
    Control told = new Control(Oids.AUTHZID_RESPONSE, false, authzId.array());
    byte[] op = LdapResult.encode(OpType.BIND_RESPONSE, SUCCESS, "");
    return LdapMessage.of(operation.messageId(), op, asked ? List.of(told) : List.of());
  }

  /** Whether the request asks who the client is, and is to be answered here. */
  public static boolean answers(Operation operation, ExtendedOp extended) {
    return extended.oid().equals(Oids.WHO_AM_I)
        && extended.valueLength() < 0
        && operation.session().identity().isExternal();
  }

  /** Tells the client who it is. */
  public static void whoAmI(Operation operation) throws LdapProtocolException {
    Octets authzId = Objects.requireNonNull(operation.session().identity().authzId());
    Rejection refusal = refusal(operation);
    if (refusal != null) {
      operation.sink().reject(refusal);
      return;
    }
    BerWriter response = new BerWriter();
    int op = response.begin(OpType.EXTENDED_RESPONSE.tag());
    response.integer(BerReader.ENUMERATED, SUCCESS);
    response.octets(BerReader.OCTET_STRING, new byte[0]);
    response.octets(BerReader.OCTET_STRING, new byte[0]);
    response.octets(RESPONSE_VALUE, authzId.array());
    operation.sink().complete(response.end(op).toByteArray());
  }
}
