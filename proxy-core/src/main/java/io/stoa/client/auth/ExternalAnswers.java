// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.CancelValue;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Responses that Stoa itself gives to clients bound by SASL EXTERNAL. A directory would answer Who
 * Am I (RFC 4532) with the service account. A directory also does not know the operations of such a
 * client's connection, to which a Cancel (RFC 3909) refers.
 *
 * <p>Threading: stateless.
 */
public final class ExternalAnswers {
  private static final int SUCCESS = 0;
  private static final int RESPONSE_VALUE = 0x8B;

  /**
   * Controls that may be critical. Each is granted, or concerns a password or a log that does not
   * exist here.
   */
  private static final Set<String> KNOWN =
      Set.of(Oids.AUTHZID_REQUEST, Oids.PASSWORD_POLICY, Oids.SESSION_TRACKING);

  private static final Set<String> OF_OTHERS = Set.of(Oids.PROXIED_AUTHZ_V1, Oids.PROXIED_AUTHZ_V2);

  private ExternalAnswers() {}

  /** True if the operation belongs to such a client or to Stoa's administrator. */
  public static boolean appliesTo(Operation operation) {
    ClientIdentity identity = operation.session().identity();
    return identity.isExternal() || identity.isAdministrator();
  }

  /**
   * Returns why the controls of a request that Stoa itself answers are refused; null if they are
   * accepted.
   */
  static @Nullable Rejection refusal(Operation operation) {
    List<Control> controls = operation.request().controls();
    if (controls.stream().anyMatch(control -> OF_OTHERS.contains(control.oid()))) {
      return Rejection.AUTHORIZATION_DENIED;
    }
    boolean unknown = controls.stream().anyMatch(c -> c.critical() && !KNOWN.contains(c.oid()));
    return unknown ? Rejection.CRITICAL_CONTROL : null;
  }

  /** Answers Who Am I with the client's authorization identity. */
  public static void answerWhoAmI(Operation operation, ExtendedOp request) {
    Octets authzId = Objects.requireNonNull(operation.session().identity().authzId());
    BerWriter response = new BerWriter();
    int op = response.begin(OpType.EXTENDED_RESPONSE.tag());
    response.integer(BerReader.ENUMERATED, SUCCESS);
    response.octets(BerReader.OCTET_STRING, new byte[0]);
    response.octets(BerReader.OCTET_STRING, new byte[0]);
    response.octets(RESPONSE_VALUE, authzId.array());
    boolean value = request.valueLength() >= 0;
    answer(
        operation,
        value ? Rejection.VALUE_UNEXPECTED : null,
        new EncodedResponse(response.end(op).toByteArray()));
  }

  /**
   * Answers a Cancel of an operation that is not in flight, or of the Cancel itself, as slapd does.
   */
  public static void cancelNothing(Operation operation, ExtendedOp cancel) {
    EncodedResponse done = LdapResult.encode(OpType.EXTENDED_RESPONSE, SUCCESS, "");
    answer(operation, unknown(operation, cancel), done);
  }

  private static @Nullable Rejection unknown(Operation operation, ExtendedOp cancel) {
    try {
      boolean itself = CancelValue.read(operation.message(), cancel) == operation.messageId();
      return itself ? null : Rejection.NO_SUCH_OPERATION;
    } catch (LdapProtocolException e) {
      return Rejection.CANCEL_MALFORMED;
    }
  }

  private static void answer(Operation operation, @Nullable Rejection reason, Response answer) {
    Rejection controls = refusal(operation);
    Rejection refusal = controls == null ? reason : controls;
    if (refusal == null) {
      operation.sink().complete(answer);
    } else {
      operation.sink().reject(refusal);
    }
  }
}
