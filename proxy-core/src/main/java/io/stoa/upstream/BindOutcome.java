// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.stoa.connection.UpstreamConnection;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.Control;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.Octets;
import io.stoa.ldap.Oids;
import io.stoa.ldap.ProtocolError;
import io.stoa.ldap.Request;
import io.stoa.ldap.RequestOp.BindOp;
import io.stoa.ldap.ResponseControls;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the answer to a client's bind on its way back, to know what the connection is now.
 * Event-loop confined.
 */
final class BindOutcome extends ForwardingSink {
  private static final int SUCCESS = 0;

  /** Of draft-behera-ldap-password-policy, section 6.2: the warning, and the one of grace. */
  private static final int WARNING = 0xA0;

  private static final int GRACE = 0x81;

  private final Operation operation;
  private final BindOp bind;
  private final List<Control> controls;
  private final Consumer<BindOutcome> settled;
  private @Nullable UpstreamConnection connection;
  private long at;
  private boolean accepted;
  private boolean asks;

  /**
   * Wraps the operation's sink.
   *
   * @param request the bind
   * @param settled hears of the outcome before the client does: what the client sends next may use
   *     the connection
   */
  BindOutcome(Operation operation, Request request, Consumer<BindOutcome> settled) {
    super(operation.sink());
    this.operation = operation;
    this.bind = (BindOp) request.op();
    this.controls = request.controls();
    this.settled = settled;
  }

  /** The server does not answer: its part in the way of the answer ends. */
  void unwrap() {
    operation.sink(next);
  }

  @Override
  public void complete(LdapMessage response) {
    accepted =
        !operation.ended() && LdapResult.codeOf(response.body()) == SUCCESS && isOfSomebody();
    if (accepted && policyState(response)) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    }
    settled.accept(this);
    next.complete(asks ? ResponseControls.without(response, Oids.PASSWORD_POLICY) : response);
  }

  private boolean isOfSomebody() {
    return bind.name().length > 0 && bind.credentialsLength() > 0;
  }

  /** What cannot be read is taken as a restriction, which costs a connection and no more. */
  static boolean policyState(LdapMessage response) {
    if (!response.hasControls()) {
      return false;
    }
    try {
      for (Control control : ResponseControls.decode(response)) {
        if (restricts(control)) {
          return true;
        }
      }
      return false;
    } catch (LdapProtocolException e) {
      return true;
    }
  }

  /**
   * Whether the server may treat this connection differently from others of the identity: an error
   * (such as that the password must be changed) or a grace login, not a mere warning.
   */
  private static boolean restricts(Control control) throws LdapProtocolException {
    byte[] value = control.value();
    if (!control.oid().equals(Oids.PASSWORD_POLICY) || value == null) {
      return control.oid().equals(Oids.PWD_EXPIRED);
    }
    BerReader reader = new BerReader(value, ProtocolError.MALFORMED_RESPONSE);
    reader.enter(BerReader.SEQUENCE);
    boolean grace = false;
    if (reader.peekTag() == WARNING) {
      int outer = reader.enter(WARNING);
      grace = reader.peekTag() == GRACE;
      reader.leave(outer);
    }
    return grace || reader.hasMore();
  }

  Operation operation() {
    return operation;
  }

  /**
   * The bind is sent.
   *
   * @param count that of the bind, in the count of {@link io.stoa.identity.BoundClients}
   */
  void on(UpstreamConnection used, long count) {
    connection = used;
    at = count;
  }

  /**
   * Whether the server is to be asked in what state the password is, since the client does not ask:
   * it may be held to change it first, and be refused all else. Of the answer the client is told
   * nothing.
   *
   * @param known whether the server knows that question
   */
  boolean asksForPolicy(boolean known) {
    boolean told = controls.stream().anyMatch(one -> one.oid().equals(Oids.PASSWORD_POLICY));
    asks = known && !told && isOfSomebody();
    return asks;
  }

  /** The count of the bind. */
  long at() {
    return at;
  }

  /** The connection on which the bind was sent. */
  UpstreamConnection connection() {
    return Objects.requireNonNull(connection, "not sent yet");
  }

  /** Whether the connection now acts as the name that was bound. */
  boolean accepted() {
    return accepted;
  }

  Octets name() {
    return Octets.of(bind.name());
  }
}
