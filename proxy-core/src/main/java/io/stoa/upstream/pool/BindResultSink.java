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
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.ResponseControls;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.operation.Operation;
import io.stoa.operation.Restriction;
import io.stoa.upstream.connection.UpstreamConnection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Inspects the response to a client's bind, to learn the state of the connection.
 *
 * <p>A directory may force the user to change the password first. Its response control says so only
 * if the client requests that control (draft-behera-ldap-password-policy). slapd sends the older
 * Netscape control only if the client does not. So Stoa adds nothing to the bind.
 *
 * <p>If the response carries neither, Stoa reads the user's own entry on the same connection. A
 * server that demands a password change refuses that read.
 *
 * <p>Threading: event loop.
 */
final class BindResultSink extends ForwardingSink {
  private static final int SUCCESS = 0;

  /** Tag of the warning in a draft-behera-ldap-password-policy response (section 6.2). */
  private static final int WARNING = 0xA0;

  /** Tag of the remaining grace logins in the same response. */
  private static final int GRACE = 0x81;

  /**
   * Times of grace logins (draft-behera-ldap-password-policy, section 5.3.4). Present in an entry
   * only while its password has expired.
   */
  private static final List<String> GRACE_TIMES = List.of("pwdGraceUseTime");

  /**
   * Result codes of the read that exclude a forced password change: success, referral,
   * noSuchObject, invalidDNSyntax. A server that forces one answers 50 (slapd) or 53 (others).
   */
  private static final Set<Integer> FREE = Set.of(SUCCESS, 10, 32, 34);

  /**
   * Notified of the results of binds.
   *
   * <p>Threading: event loop.
   */
  interface BindListener {
    /**
     * Called when the bind is answered, before the client receives the response. The client may use
     * the connection next.
     */
    void onSettled(BindResultSink outcome);

    /** Called when the bind will not be answered. */
    void onUnanswered(Operation bind);
  }

  private final Operation operation;
  private final BindOp bind;
  private final Octets name;
  private final List<Control> controls;
  private final BindListener listener;
  private @Nullable UpstreamConnection connection;
  private long bindNumber;
  private boolean accepted;
  private boolean readsPolicy;

  /**
   * Wraps the operation's sink.
   *
   * @param request the bind
   */
  BindResultSink(Operation operation, Request request, BindListener listener) {
    super(operation.sink());
    this.operation = operation;
    this.bind = (BindOp) request.op();
    this.name = Octets.of(bind.name());
    this.controls = request.controls();
    this.listener = listener;
  }

  /** Restores the operation's own sink, since the server will not respond. */
  void unwrap() {
    operation.setSink(next);
  }

  @Override
  public void complete(Response received) {
    LdapMessage response = LdapMessage.ofBind(received);
    boolean success = LdapResult.quickCodeOf(response.body()) == SUCCESS;
    accepted = !operation.hasEnded() && success && isNamed();
    if (accepted && policyState(response)) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    } else if (accepted && readsPolicy) {
      SearchParameters terms = SearchParameters.entry(bind.name(), GRACE_TIMES);
      connection()
          .send(InternalSearch.beside(operation, terms, found -> onPolicyRead(found, response)));
      return;
    }
    finish(response);
  }

  /** Called with the response to the read that follows the bind. */
  private void onPolicyRead(Found found, LdapMessage response) {
    accepted = !operation.hasEnded();
    if (accepted && found.code() < SUCCESS) {
      response.release();
      listener.onUnanswered(operation); // the connection or the server may be lost
      return;
    }
    if (accepted && restricts(found)) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    }
    finish(response);
  }

  private void finish(LdapMessage response) {
    listener.onSettled(this);
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

  private boolean isNamed() {
    return bind.name().length > 0 && bind.credentialsLength() > 0;
  }

  /**
   * True if the response signals a restricted state. An undecodable control counts as one: that
   * costs a dedicated connection at most.
   */
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
   * True if the server may treat this connection differently from others of the identity. An error,
   * such as a forced password change, or a grace login means that; a mere warning does not.
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
   * Called when the bind is sent.
   *
   * @param count bind number, from {@link io.stoa.upstream.auth.BoundClients}
   * @param policies true if the server supports the password policy control
   */
  void onSent(UpstreamConnection used, long count, boolean policies) {
    connection = used;
    bindNumber = count;
    readsPolicy = policies && controls.stream().noneMatch(BindResultSink::asks);
  }

  private static boolean asks(Control control) {
    return control.oid().equals(Oids.PASSWORD_POLICY);
  }

  /** Returns the bind number. */
  long bindNumber() {
    return bindNumber;
  }

  /** Returns the connection on which the bind was sent. */
  UpstreamConnection connection() {
    return Objects.requireNonNull(connection, "not sent yet");
  }

  /** True if the connection now acts as the name that was bound. */
  boolean isAccepted() {
    return accepted;
  }

  Octets name() {
    return name;
  }
}
