// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import java.util.List;

/** What a client can see through Stoa that it would not see without, and why. At most ten. */
enum Difference {
  ROOT_DSE(
      "StartTLS, Turn and the SASL mechanism EXTERNAL are granted or refused in Stoa's words, and not"
          + " in the root DSE where they do not work; nor is LDAPv2.",
      "All of them concern the connection between the client and its server, and the client's server"
          + " is Stoa. LDAPv2: see the binds below."),
  MONITOR(
      "`cn=monitor` is Stoa's own entry.",
      "A client asks it how the server does that it talks to, and that is Stoa. Behind Stoa are"
          + " several servers, and no one of them speaks for all."),
  FAILED_BIND(
      "A failed bind leaves the client anonymous, and the next bind begins afresh. Samba, and 389-ds"
          + " after an invalid name, keep the former identity; 389-ds remembers a name that SASL PLAIN"
          + " did not prove.",
      "RFC 4513, section 4, demands it. A client served under an identity after a failed bind would"
          + " turn the habit of one server into a hole in all."),
  PAGES(
      "Pages that Stoa cuts itself come in the order of the whole result; the estimate, and whether"
          + " the last full page has a cookie, are Stoa's. An unknown cookie is refused, also"
          + " where 389-ds takes it for the cookie of another search.",
      "A server's cookie is good on one connection to one server: pages that outlive both must be cut"
          + " by the proxy. A result has no order (RFC 4511, section 4.5.2), its estimate is one, and"
          + " servers of one directory differ in both."),
  OTHER_BINDS(
      "A bind of another version than 3, of another kind than simple and SASL, or of an empty"
          + " mechanism, is refused in Stoa's words.",
      "RFC 4511 leaves open under which identity and protocol a connection continues after such a"
          + " bind. A proxy could not know its client. The RFC demands that an unsupported version is"
          + " refused; LDAPv2 is historic (RFC 3494)."),
  NO_REQUEST(
      "A message that is no LDAP request (an unknown operation, a response, messageID 0) ends the"
          + " connection"
          + " with a Notice of Disconnection, also where 389-ds reads on and Samba answers or is"
          + " silent.",
      "RFC 4511, section 4.1.1, demands the end. Such a message cannot be passed on: it"
          + " would end or confuse a connection that others share."),
  AUTHOR(
      "In proxied mode 389-ds puts down Stoa's service account as creatorsName and modifiersName.",
      "389-ds takes the name from the connection, whatever the control says, and no client may set"
          + " these attributes. In pass-through mode they are the client's.");

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
