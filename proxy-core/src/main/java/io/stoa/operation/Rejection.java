// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import java.util.EnumSet;
import java.util.Set;

/**
 * The reasons why Stoa itself refuses an operation or cannot serve it, with the result that the
 * client receives. Each reason has one counter, labelled by the constant.
 */
public enum Rejection {
  /** No directory server is usable. */
  NO_UPSTREAM(52, "no directory server can be used"),
  /** The server that takes writes, and reads after them, is not reachable. */
  PRIMARY_DOWN(52, "the primary directory server is not reachable"),
  /** The connection to the server was lost, and the operation cannot be sent again. */
  UPSTREAM_LOST(52, "the connection to the directory server was lost"),
  /** The connection to the server was lost after a part of the result has gone to the client. */
  RESULT_CUT(52, "the connection to the directory server was lost in the middle of the result"),
  /** The time limit of a search, or the limit for clients, has passed while servers were asked. */
  TIME_LIMIT(3, "the time limit has passed"),
  /** The size limit of a search, or the limit for clients, is reached. */
  SIZE_LIMIT(4, ""),
  /** The client is not allowed to use paged results. */
  PAGING_DENIED(50, "paged results are not allowed to this client"),
  /** The limit of concurrent paged searches is reached. */
  TOO_MANY_PAGED(51, "too many paged searches"),
  /** The paged results control is malformed. */
  PAGING_MALFORMED(2, "paged results control could not be decoded"),
  /** The server no longer accepts the password with which the client bound. */
  REBIND_REFUSED(52, "the directory server no longer accepts the credentials of this connection"),
  /** The connection that held the client's state was lost. */
  STATE_LOST(52, "the directory server connection that held this client's state was lost"),
  /**
   * A password that came by TLS would go to a directory server in the clear. The code is not
   * confidentialityRequired, since the client has used TLS already.
   */
  UPSTREAM_PLAIN(
      53, "the proxy reaches the directory server without TLS and does not send passwords to it"),
  /** The server did not answer in time. */
  UPSTREAM_TIMEOUT(52, "the directory server did not answer in time"),
  /** The server sent octets that are not LDAP. */
  UPSTREAM_BROKEN(52, "the directory server sent an invalid answer"),
  /** A write was sent, and the connection was lost before its result arrived. */
  OUTCOME_UNKNOWN_LOST(80, "outcome unknown: the connection to the directory server was lost"),
  /** A write was sent, and its result has not arrived in time. */
  OUTCOME_UNKNOWN_TIMEOUT(80, "outcome unknown: the directory server did not answer in time"),
  /** A write was sent, and the response was not LDAP. */
  OUTCOME_UNKNOWN_BROKEN(80, "outcome unknown: the directory server sent an invalid answer"),
  /** An access rule denies the operation. */
  ACCESS_DENIED(50, "an access rule of the proxy denies this operation"),
  /** An access rule denies the bind of an anonymous client, or by name and password. */
  BIND_DENIED(48, "an access rule of the proxy denies this bind"),
  /** An access rule denies a bind with a name and no password (RFC 4513, section 5.1.2). */
  UNAUTHENTICATED_BIND_DENIED(53, "an access rule of the proxy denies a bind without a password"),
  /** An access rule denies the SASL mechanism. */
  SASL_BIND_DENIED(7, "an access rule of the proxy denies this SASL mechanism"),
  /** The operation may write, and readOnly is set. */
  READ_ONLY(53, "the proxy is read-only"),
  /** The limit of operations that wait for an upstream connection is reached. */
  QUEUE_FULL(51, "too many operations wait for the directory server"),
  /** The operation has waited for a connection or for its turn as long as it may. */
  QUEUE_TIMEOUT(
      51,
      "the directory server was too busy: the operation waited in the queue until "
          + "its time-out"),
  /** The client's address has reached its limit of dedicated connections. */
  ADDRESS_QUOTA(51, "too many connections of this address to the directory server"),
  /** A limit of the client's network is reached. */
  NETWORK_LIMIT(51, "a limit of this client network is reached"),
  /** A limit of the client's identity is reached. */
  IDENTITY_LIMIT(51, "a limit of this identity is reached"),
  /** The limit of client connections is reached. */
  TOO_MANY_CONNECTIONS(51, "too many connections"),
  /** The client has reached its limit of persistent and sync searches. */
  TOO_MANY_LONG_LIVED(51, "too many persistent searches on this connection"),
  /** A SASL mechanism that would authenticate Stoa, such as EXTERNAL, or that is not supported. */
  SASL_MECHANISM_REFUSED(7, "this SASL mechanism is not supported by this proxy"),
  /**
   * A SASL mechanism that sends a password in the clear, without TLS. A server would refuse it, and
   * would accept it from Stoa only because Stoa's own connection is protected.
   */
  SASL_UNPROTECTED(48, "this SASL mechanism sends the password in the clear and needs TLS"),
  /** A client binds by EXTERNAL, and no rule matches its connection. */
  EXTERNAL_UNKNOWN(49, ""),
  /** A critical control in a request that Stoa answers by itself (RFC 4511, section 4.1.11). */
  CRITICAL_CONTROL(12, "critical extension is not recognized"),
  /** A critical control that a server could apply only to its own part of the answer. */
  SEARCH_OF_SEVERAL(12, "this control does not work on a search of several directories"),
  /** A rename would move an entry into another directory (RFC 4511, section 4.9). */
  OTHER_DIRECTORY(71, "the entry cannot be moved into another directory"),
  /**
   * A bind without a SASL mechanism, by which a client ends a SASL bind (RFC 4511, section 4.2).
   */
  SASL_NO_MECHANISM(7, "no SASL mechanism provided"),
  /** A SASL bind has more steps than any mechanism. */
  SASL_TOO_LONG(80, "too many steps in one SASL bind"),
  /**
   * A security layer where the directory identifies Stoa by the connection. Requests inside the
   * layer are invisible, so the client could become Stoa by EXTERNAL.
   */
  SASL_LAYER_REFUSED(
      53,
      "no SASL security layer where the directory knows the proxy by ldapi:// or by"
          + " upstream.tls.certificate: bind without one (maxssf=0), use a passthrough:// listener,"
          + " or ldaps:// without that certificate"),
  /** A bind with LDAPv2, which would change the state of a shared connection. */
  BIND_VERSION_2(2, "historical protocol version requested, use LDAPv3 instead"),
  /** A bind with a protocol version that does not exist. */
  BIND_VERSION_UNKNOWN(2, "requested protocol version not supported"),
  /** A bind name that begins with NUL, which no DN and no other name does. */
  BIND_NAME_INVALID(34, "invalid DN"),
  /** A bind that is neither simple nor SASL. */
  BIND_METHOD_UNKNOWN(7, "unknown authentication method"),
  /** StartTLS is not available. */
  START_TLS_UNSUPPORTED(2, "unsupported extended operation"),
  /** TLS is already active (RFC 4511, section 4.14.1). */
  TLS_STARTED(1, "TLS already started"),
  /**
   * A value in a StartTLS or Who Am I request (RFC 4511, section 4.14.1; RFC 4532, section 2.1).
   */
  VALUE_UNEXPECTED(2, "no request data expected"),
  /** StartTLS while operations of the client are in flight (RFC 4511, section 4.14.1). */
  START_TLS_OUTSTANDING(1, "cannot start TLS when operations are outstanding"),
  /** A secret was sent over an unprotected connection. */
  CONFIDENTIALITY_REQUIRED(13, "confidentiality required"),
  /** Turn is not supported: it would reverse Stoa's own connection. */
  TURN_UNSUPPORTED(2, "unsupported extended operation"),
  /** A client's right to act as another cannot be checked (RFC 4370, section 4). */
  AUTHORIZATION_DENIED(123, "not authorized to assume identity"),
  /** The request needs a connection bound as the client, and there is none. */
  NEEDS_CLIENT_BIND(53, "the request needs a connection that is bound as this client"),
  /** A write of a client that is bound at another server, with a password for that bind alone. */
  BOUND_AT_OTHER_SERVER(
      53,
      "the connection is bound at another directory server, and its password was for one bind:"
          + " bind again"),
  /** The connection on which a server gave a paging cookie is gone (RFC 2696, section 3). */
  COOKIE_LOST(53, "paged results cookie is invalid or old"),
  /** The operation was cancelled (RFC 3909, section 2.3). */
  CANCELED(118, ""),
  /** No operation with this messageID can be cancelled (RFC 3909, section 2.3). */
  NO_SUCH_OPERATION(119, "message ID not found"),
  /** A Cancel request does not name an operation (RFC 3909, section 2.1). */
  CANCEL_MALFORMED(2, "message ID parse failed"),
  /** The operation cannot be cancelled (RFC 3909, section 2.3). */
  CANNOT_CANCEL(121, "the operation cannot be cancelled"),
  /** The client was idle, or left a request unfinished, for too long. */
  NO_PROGRESS(52, "no progress in time"),
  /** The client's requests were discarded at the memory limit for requests of all clients. */
  REQUEST_MEMORY(
      51, "memory for unfinished requests exhausted: the slowest client was disconnected"),
  /** An idle client without a bind made room at the limit of client connections. */
  EVICTED(51, "too many connections: this idle connection without a bind was closed to make room"),
  /** The administrator has ended the connection. */
  DISCONNECTED(52, "the administrator has ended the connection"),
  /** Stoa is shutting down. */
  SHUTTING_DOWN(52, "the proxy is shutting down");

  /** Reasons that show an exceeded limit or time, or a failing server; the others are answers. */
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
          ADDRESS_QUOTA,
          SASL_TOO_LONG,
          TOO_MANY_PAGED,
          TOO_MANY_LONG_LIVED);

  /** Reasons that show that an operation was sent and failed afterwards. */
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

  /** True if it is logged, since it shows a shortage or a failure. */
  public boolean isLogged() {
    return LIMITS.contains(this);
  }

  /** True if the operation had been sent to a server. */
  public boolean isAfterSending() {
    return LOSSES.contains(this);
  }

  /** Returns the LDAP result code (RFC 4511, section 4.1.9). */
  public int resultCode() {
    return resultCode;
  }

  /** Returns the diagnosticMessage of the result. */
  public String diagnostic() {
    return diagnostic;
  }
}
