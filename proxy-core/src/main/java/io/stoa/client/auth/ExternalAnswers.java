// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.operation.CancelValue;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What Stoa answers by itself to clients that have bound by EXTERNAL: directories answer Who Am I
 * (RFC 4532) as the account that is bound, and know of no operation of such a client's connection
 * (RFC 3909). Stateless.
 */
public final class ExternalAnswers {
  private static final int SUCCESS = 0;
  private static final int RESPONSE_VALUE = 0x8B;

  /** What may be critical: it is granted, or concerns a password or a log, and there is none. */
  private static final Set<String> KNOWN =
      Set.of(Oids.AUTHZID_REQUEST, Oids.PASSWORD_POLICY, Oids.SESSION_TRACKING);

  private static final Set<String> OF_OTHERS = Set.of(Oids.PROXIED_AUTHZ_V1, Oids.PROXIED_AUTHZ_V2);

  private ExternalAnswers() {}

  /** Whether the operation is one of such a client, or of Stoa's administrator. */
  public static boolean areFor(Operation operation) {
    ClientIdentity identity = operation.session().identity();
    return identity.isExternal() || identity.isAdministrator();
  }

  /** Why a request that is answered by Stoa itself may not have its controls; null if it may. */
  static @Nullable Rejection refusal(Operation operation) throws LdapProtocolException {
    List<Control> controls = operation.request().controls();
    if (controls.stream().anyMatch(control -> OF_OTHERS.contains(control.oid()))) {
      return Rejection.AUTHORIZATION_DENIED;
    }
    boolean unknown = controls.stream().anyMatch(c -> c.critical() && !KNOWN.contains(c.oid()));
    return unknown ? Rejection.CRITICAL_CONTROL : null;
  }

  /** Tells the client who it is. */
  public static void whoAmI(Operation operation, ExtendedOp question) throws LdapProtocolException {
    Octets authzId = Objects.requireNonNull(operation.session().identity().authzId());
    BerWriter response = new BerWriter();
    int op = response.begin(OpType.EXTENDED_RESPONSE.tag());
    response.integer(BerReader.ENUMERATED, SUCCESS);
    response.octets(BerReader.OCTET_STRING, new byte[0]);
    response.octets(BerReader.OCTET_STRING, new byte[0]);
    response.octets(RESPONSE_VALUE, authzId.array());
    boolean value = question.valueLength() >= 0;
    answer(operation, value ? Rejection.VALUE_UNEXPECTED : null, response.end(op).toByteArray());
  }

  /** Answers a Cancel of what is not under way, or of the Cancel itself, as slapd does. */
  public static void cancelNothing(Operation operation, ExtendedOp cancel)
      throws LdapProtocolException {
    byte[] done = LdapResult.encode(OpType.EXTENDED_RESPONSE, SUCCESS, "");
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

  private static void answer(Operation operation, @Nullable Rejection reason, byte[] answer)
      throws LdapProtocolException {
    Rejection controls = refusal(operation);
    Rejection refusal = controls == null ? reason : controls;
    if (refusal == null) {
      operation.sink().complete(answer);
    } else {
      operation.sink().reject(refusal);
    }
  }
}
