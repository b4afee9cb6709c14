// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

/** Events of clients and their operations that are only counted. */
public enum ClientEvent {
  /** A client has connected. */
  CONNECTION_OPENED,
  /** A client was refused at the limit of connections. */
  CONNECTION_REFUSED,
  /** An idle client without a bind was disconnected to make room for another client. */
  IDLE_CLIENT_DISCONNECTED,
  /** A client was disconnected because requests without an answer took too much memory. */
  REQUEST_GIVEN_UP,
  /** A connection was passed through to a directory server unread. */
  PASSED_THROUGH,
  /** A client reached its limit of operations in flight: Stoa paused reading from it. */
  THROTTLED,
  /** An operation has ended without the answer that it should have. */
  UNANSWERED,
  /** An operation has failed. Referrals are not failures. */
  FAILURE,
  /** An operation has failed for missing rights or failed authentication. */
  SECURITY_FAILURE,
  /** A bind has failed for missing rights or failed authentication. */
  SECURITY_FAILURE_OF_BIND,
  /** The result of an operation was a referral. */
  REFERRAL,
  /** A one-level search was received. */
  ONE_LEVEL_SEARCH,
  /** A subtree search was received. */
  SUBTREE_SEARCH,
  /** An entry was sent to a client. */
  ENTRY_SENT,
  /** A search result reference was sent to a client. */
  REFERENCE_SENT,
  /** A message was sent to a client that is no entry or reference, and ends no operation. */
  OTHER_SENT,
  /** An octet of a request was received. */
  OCTET_RECEIVED,
  /** An octet was written for a client. */
  OCTET_SENT,
  /** A client has bound by SASL. */
  SASL_BOUND,
  /** A client and a server have agreed on a security layer: their octets pass unread. */
  TUNNELLED,
  /** Stoa has answered a search of its own tree, which no cache sees. */
  OWN_SEARCH,
  /** A search was malformed, so that no cache saw it. */
  MALFORMED_SEARCH
}
