// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

/**
 * Reasons why a peer's octets are not valid LDAP, or exceed a limit.
 *
 * <p>Threading: immutable.
 */
public enum ProtocolError {
  BAD_ENVELOPE("not an LDAPMessage"),
  BAD_PROXY_HEADER("no PROXY protocol header"),
  BAD_MESSAGE_ID("invalid or duplicate messageID"),
  UNKNOWN_OPERATION("unknown protocolOp"),
  FRAME_TOO_LARGE("message too large"),
  INDEFINITE_LENGTH("indefinite length"),
  MALFORMED_REQUEST("malformed request"),
  MALFORMED_RESPONSE("malformed response"),
  FILTER_TOO_DEEP("filter nested too deeply"),
  TOO_MANY_ELEMENTS("too many elements in a request");

  private final String text;

  ProtocolError(String text) {
    this.text = text;
  }

  /** Returns a constant text, which never contains octets of a peer. */
  public String text() {
    return text;
  }
}
