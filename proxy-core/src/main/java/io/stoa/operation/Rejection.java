// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import java.util.EnumSet;
import java.util.Set;

/**
 * Why Stoa itself refuses an operation or cannot serve it, with the answer that the client gets.
 * Each refusal has one counter, labelled by the constant.
 */
public enum Rejection {
  /** No directory server can be used. */
  NO_UPSTREAM(52, "no directory server can be used"),
  /** The server that takes the writes, and reads after them, is not reachable. */
  PRIMARY_DOWN(52, "the primary directory server is not reachable"),
  /** The connection to the server was lost, and the operation cannot be sent again. */
  UPSTREAM_LOST(52, "the connection to the directory server was lost"),
  /** The connection to the server was lost after a part of the result has gone to the client. */
  RESULT_CUT(52, "the connection to the directory server was lost in the middle of the result"),
  /**
   * A search whose own time limit has passed while servers were asked in turn, or that of clients.
   */
  TIME_LIMIT(3, "the time limit has passed"),
  /** A search that may give no more entries, by the limits of clients. */
  SIZE_LIMIT(4, ""),
  /** A search in pages, which the client may not have. */
  PAGING_DENIED(50, "paged results are not allowed to this client"),
  /** As many searches in pages are under way as may be. */
  TOO_MANY_PAGED(51, "too many paged searches"),
  /** A search in pages of which it cannot be seen how large these are to be. */
  PAGING_MALFORMED(2, "paged results control could not be decoded"),
  /** The server no longer accepts the password with which the client bound. */
  REBIND_REFUSED(52, "the directory server no longer accepts the credentials of this connection"),
  /** The connection that held the client's state was lost. */
  STATE_LOST(52, "the directory server's connection of this client was lost"),
  /**
   * A password that came by TLS would go to a directory server in plain. It is not
   * confidentialityRequired: that would ask the client for what it has done.
   */
  UPSTREAM_PLAIN(
      53, "the proxy reaches the directory server without TLS and may not send passwords to it"),
  /** The server did not answer in time. */
  UPSTREAM_TIMEOUT(52, "the directory server did not answer in time"),
  /** The server answered with something that is no LDAP. */
  UPSTREAM_BROKEN(52, "the directory server sent an invalid answer"),
  /** A change was sent, and the connection was lost before its result came. */
  OUTCOME_UNKNOWN_LOST(80, "outcome unknown: the connection to the directory server was lost"),
  /** A change was sent, and its result has not come in time. */
  OUTCOME_UNKNOWN_TIMEOUT(80, "outcome unknown: the directory server did not answer in time"),
  /** A change was sent, and what came back is no LDAP. */
  OUTCOME_UNKNOWN_BROKEN(80, "outcome unknown: the directory server sent an invalid answer"),
  /** As many operations wait for an upstream connection as may. */
  QUEUE_FULL(51, "too many operations wait for the directory server"),
  /** The operation waited for a connection or for its turn as long as it may. */
  QUEUE_TIMEOUT(51, "the directory server had too much to do to be asked in time"),
  /** The client's address has as many connections of its own as it may have. */
  TOO_MANY_OF_ADDRESS(51, "too many connections of this address to the directory server"),
  /** As many clients are connected as may be. */
  TOO_MANY_CONNECTIONS(51, "too many connections"),
  /** The client has as many persistent and sync searches as it may have. */
  TOO_MANY_LONG_LIVED(51, "too many persistent searches on this connection"),
  /** A mechanism that would name Stoa, such as EXTERNAL, or none that can be. */
  SASL_MECHANISM_REFUSED(7, "this SASL mechanism is not supported by this proxy"),
  /**
   * A mechanism that sends a password as it is, without TLS: a server would refuse it, and takes it
   * from Stoa only because Stoa's own connection is protected.
   */
  SASL_UNPROTECTED(48, "this SASL mechanism sends a password as it is: it needs TLS"),
  /**
   * A client that wants to be whom its connection proves it to be, and for whom there is no rule.
   */
  EXTERNAL_UNKNOWN(49, ""),
  /** A critical control in a request that Stoa answers by itself (RFC 4511, section 4.1.11). */
  CRITICAL_CONTROL(12, "critical extension is not recognized"),
  /** A critical control by which a server could only speak for its own part of the answer. */
  SEARCH_OF_SEVERAL(12, "this control does not work on a search of several directories"),
  /** An entry that would move into another directory (RFC 4511, section 4.9). */
  OTHER_DIRECTORY(71, "the entry cannot be moved into another directory"),
  /** No mechanism at all, by which a client gives up a SASL bind (RFC 4511, section 4.2). */
  SASL_NO_MECHANISM(7, "no SASL mechanism provided"),
  /** A SASL bind that takes more steps than any mechanism has. */
  SASL_TOO_LONG(80, "too many steps in one SASL bind"),
  /**
   * A security layer on a connection by which the directory knows Stoa: what a client does inside
   * it nobody sees, and it could become Stoa by EXTERNAL.
   */
  SASL_LAYER_REFUSED(
      53,
      "no SASL security layer where the directory knows the proxy by ldapi:// or by"
          + " upstream.tls.certificate: bind without one (maxssf=0), use a passthrough:// listener,"
          + " or ldaps:// without that certificate"),
  /** LDAPv2, which would change the state of a shared connection. */
  BIND_VERSION_2(2, "historical protocol version requested, use LDAPv3 instead"),
  /** A protocol version that never was. */
  BIND_VERSION_UNKNOWN(2, "requested protocol version not supported"),
  /** A name that begins with NUL, which is no DN and no name of any other kind. */
  BIND_NAME_INVALID(34, "invalid DN"),
  /** A bind that is neither simple nor SASL. */
  BIND_METHOD_UNKNOWN(7, "unknown authentication method"),
  /** StartTLS is not offered. */
  START_TLS_UNSUPPORTED(2, "unsupported extended operation"),
  /** TLS is there already (RFC 4511, section 4.14.1). */
  TLS_STARTED(1, "TLS already started"),
  /** StartTLS and Who Am I have no value (RFC 4511, section 4.14.1; RFC 4532, section 2.1). */
  VALUE_UNEXPECTED(2, "no request data expected"),
  /** Operations of the client are not answered yet (RFC 4511, section 4.14.1). */
  START_TLS_OUTSTANDING(1, "cannot start TLS when operations are outstanding"),
  /** A secret was sent where others may read it. */
  CONFIDENTIALITY_REQUIRED(13, "confidentiality required"),
  /** Turn is never offered: it would turn around Stoa's own connection. */
  TURN_UNSUPPORTED(2, "unsupported extended operation"),
  /** A client's right to act as another cannot be checked (RFC 4370, section 4). */
  AUTHORIZATION_DENIED(123, "not authorized to assume identity"),
  /** The request can only be done on a connection of the client's own, and there is none. */
  NO_OWN_CONNECTION(53, "the request needs a connection that is bound as this client"),
  /** A change, by a client that is bound elsewhere, and whose password was for that bind alone. */
  BOUND_ELSEWHERE(
      53,
      "the connection is bound at another directory server, and its password was for one bind:"
          + " bind again"),
  /** The connection on which a server gave a paging cookie is gone (RFC 2696, section 3). */
  COOKIE_LOST(53, "paged results cookie is invalid or old"),
  /** The operation was cancelled (RFC 3909, section 2.3). */
  CANCELED(118, ""),
  /** There is no such operation to be cancelled (RFC 3909, section 2.3). */
  NO_SUCH_OPERATION(119, "message ID not found"),
  /** A Cancel request that does not name an operation (RFC 3909, section 2.1). */
  CANCEL_MALFORMED(2, "message ID parse failed"),
  /** The operation cannot be cancelled (RFC 3909, section 2.3). */
  CANNOT_CANCEL(121, "the operation cannot be cancelled"),
  /** The client was idle, or left a request unfinished, for too long. */
  NO_PROGRESS(52, "no progress in time"),
  /** The client's requests were given up, since those of all clients take as much as they may. */
  REQUEST_MEMORY(51, "unfinished requests take too much memory, and these were the slowest"),
  /** The client was idle and had not bound when as many clients were connected as may be. */
  GAVE_WAY(51, "too many connections: idle connections without a bind give way"),
  /** The administrator has ended the client's connection. */
  DISCONNECTED(52, "the administrator has ended the connection"),
  /** Stoa is shutting down. */
  SHUTTING_DOWN(52, "the proxy is shutting down");

  /** What shows that a limit or a time is exceeded, or a server fails; the others are answers. */
  private static final Set<Rejection> LIMITS =
      EnumSet.of(
          NO_UPSTREAM,
          PRIMARY_DOWN,
          UPSTREAM_LOST,
          RESULT_CUT,
          UPSTREAM_TIMEOUT,
          UPSTREAM_BROKEN,
          OUTCOME_UNKNOWN_LOST,
          OUTCOME_UNKNOWN_TIMEOUT,
          OUTCOME_UNKNOWN_BROKEN,
          QUEUE_FULL,
          QUEUE_TIMEOUT,
          TOO_MANY_OF_ADDRESS,
          SASL_TOO_LONG,
          TOO_MANY_PAGED,
          TOO_MANY_LONG_LIVED);

  /** What shows that an operation was sent, and failed for what became of that. */
  private static final Set<Rejection> LOSSES =
      EnumSet.of(
          UPSTREAM_LOST,
          RESULT_CUT,
          UPSTREAM_TIMEOUT,
          UPSTREAM_BROKEN,
          OUTCOME_UNKNOWN_LOST,
          OUTCOME_UNKNOWN_TIMEOUT,
          OUTCOME_UNKNOWN_BROKEN);

  private final int resultCode;
  private final String diagnostic;

  Rejection(int resultCode, String diagnostic) {
    this.resultCode = resultCode;
    this.diagnostic = diagnostic;
  }

  /** Whether it is to be logged, since it shows that something is short or broken. */
  public boolean limit() {
    return LIMITS.contains(this);
  }

  /** Whether the operation had been sent to a server. */
  public boolean loss() {
    return LOSSES.contains(this);
  }

  /** The LDAP result code, RFC 4511 section 4.1.9. */
  public int resultCode() {
    return resultCode;
  }

  /** The diagnosticMessage of the answer. */
  public String diagnostic() {
    return diagnostic;
  }
}
