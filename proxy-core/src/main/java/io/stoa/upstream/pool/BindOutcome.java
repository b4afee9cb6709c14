// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.ResponseControls;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSearch.Terms;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import io.stoa.upstream.connection.UpstreamConnection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the answer to a client's bind on its way back, to know what the connection is now.
 *
 * <p>A directory may hold the user to change the password first. It says so in a response control
 * only if the client asks (draft-behera-ldap-password-policy), or in one of Netscape, which slapd
 * sends only to a client that does not ask. So Stoa adds nothing to the bind. After a bind that
 * tells nothing, Stoa reads the user's own entry on the same connection: a server that holds the
 * user to change the password refuses that.
 *
 * <p>Event-loop confined.
 */
final class BindOutcome extends ForwardingSink {
  private static final int SUCCESS = 0;

  /** Of draft-behera-ldap-password-policy, section 6.2: the warning, and the one of grace. */
  private static final int WARNING = 0xA0;

  private static final int GRACE = 0x81;

  /**
   * Section 5.3.4 of the same: the times of logins by grace. An entry has the attribute only while
   * its password has expired.
   */
  private static final List<String> GRACE_TIMES = List.of("pwdGraceUseTime");

  /**
   * Result codes of the search that the server would not give to a user who must change the
   * password: success, referral, noSuchObject, invalidDNSyntax. slapd then answers 50, others 53.
   */
  private static final Set<Integer> FREE = Set.of(SUCCESS, 10, 32, 34);

  /** Hears of the outcome of binds. Event-loop confined. */
  interface Listener {
    /** The bind is answered; the client is not told yet and may use the connection next. */
    void settled(BindOutcome outcome);

    /** The bind will not be answered. */
    void unanswered(Operation bind);
  }

  private final Operation operation;
  private final BindOp bind;
  private final List<Control> controls;
  private final Listener listener;
  private @Nullable UpstreamConnection connection;
  private long at;
  private boolean accepted;
  private boolean checks;

  /**
   * Wraps the operation's sink.
   *
   * @param request the bind
   */
  BindOutcome(Operation operation, Request request, Listener listener) {
    super(operation.sink());
    this.operation = operation;
    this.bind = (BindOp) request.op();
    this.controls = request.controls();
    this.listener = listener;
  }

  /** The server does not answer: its part in the way of the answer ends. */
  void unwrap() {
    operation.sink(next);
  }

  @Override
  public void complete(LdapMessage response) {
    boolean success = LdapResult.codeOf(response.body()) == SUCCESS;
    accepted = !operation.ended() && success && isOfSomebody();
    if (accepted && policyState(response)) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    } else if (accepted && checks) {
      Terms terms = Terms.entry(bind.name(), GRACE_TIMES);
      connection().send(InternalSearch.beside(operation, terms, found -> checked(found, response)));
      return;
    }
    finish(response);
  }

  /** The answer to the search that follows the bind. */
  private void checked(Found found, LdapMessage response) {
    accepted = !operation.ended();
    if (accepted && found.code() < SUCCESS) {
      response.release();
      listener.unanswered(operation); // the connection, or the server, may be gone
      return;
    }
    if (accepted && restricts(found)) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    }
    finish(response);
  }

  private void finish(LdapMessage response) {
    listener.settled(this);
    next.complete(response);
  }

  private static boolean restricts(Found found) {
    byte[] entry = found.read();
    try {
      boolean grace = entry != null && !SearchEntry.parse(entry).attributes().isEmpty();
      return grace || !FREE.contains(found.code());
    } catch (LdapProtocolException e) {
      return true;
    }
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
   * @param count that of the bind, in the count of {@link io.stoa.upstream.auth.BoundClients}
   * @param policies true if the server knows password policies
   */
  void on(UpstreamConnection used, long count, boolean policies) {
    connection = used;
    at = count;
    checks = policies && controls.stream().noneMatch(BindOutcome::asks);
  }

  private static boolean asks(Control control) {
    return control.oid().equals(Oids.PASSWORD_POLICY);
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
