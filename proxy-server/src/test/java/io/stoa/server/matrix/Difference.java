// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import java.util.List;

/** Documented differences that a client can see through Stoa, and their reasons. At most ten. */
enum Difference {
  ROOT_DSE(
      "Stoa itself grants or refuses StartTLS, Turn and the SASL mechanism EXTERNAL, in its own"
          + " words. The root DSE lists them only where they work, and never lists LDAPv2.",
      "They concern the connection between the client and its server, and the client's server is"
          + " Stoa. LDAPv2: see difference 5."),
  MONITOR(
      "`cn=monitor` is Stoa's own entry.",
      "Monitoring clients ask `cn=monitor` about the server that they are connected to, which is"
          + " Stoa. No server behind Stoa can report for all."),
  FAILED_BIND(
      "A failed bind leaves the client anonymous, and the next bind begins anew. Samba, and 389-ds"
          + " after an invalid name, keep the former identity. 389-ds keeps the name of a failed"
          + " SASL PLAIN bind.",
      "RFC 4513, section 4, demands it. A client that kept its identity after a failed bind would"
          + " have it at all servers."),
  PAGES(
      "Pages that Stoa cuts itself come in the order of the whole result. Stoa sets the size"
          + " estimate, and whether the last full page has a cookie. Stoa refuses an unknown"
          + " cookie, even where 389-ds takes it for the cookie of another search.",
      "A server's cookie is valid on one connection to one server, so the proxy must cut pages that"
          + " outlive both. A result has no order (RFC 4511, section 4.5.2), and servers of one"
          + " directory differ in order and estimate."),
  OTHER_BINDS(
      "Stoa refuses, in its own words, a bind with another version than 3, a method other than"
          + " simple and SASL, or an empty mechanism.",
      "RFC 4511 leaves open under which identity and protocol a connection continues after such a"
          + " bind. A proxy could not know its client. The RFC demands that an unsupported version"
          + " is refused; LDAPv2 is historic (RFC 3494)."),
  NO_REQUEST(
      "A message that is no LDAP request (an unknown operation, a response, messageID 0) ends the"
          + " connection with a Notice of Disconnection. 389-ds reads on, and Samba answers or is"
          + " silent.",
      "RFC 4511, section 4.1.1, demands the end. Such a message cannot be passed on, since it would"
          + " end or confuse a shared connection."),
  AUTHOR(
      "In proxied mode 389-ds records Stoa's service account as creatorsName and modifiersName.",
      "389-ds takes the name from the connection, whatever the control says, and no client may set"
          + " these attributes. In pass-through mode 389-ds records the client's name.");

  private final String what;
  private final String why;

  Difference(String what, String why) {
    this.what = what;
    this.why = why;
  }

  /** The number by which the matrix names it. */
  int number() {
    return List.of(values()).indexOf(this) + 1;
  }

  String what() {
    return what;
  }

  String why() {
    return why;
  }
}
