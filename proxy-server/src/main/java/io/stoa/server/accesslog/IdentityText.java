// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;

/** Names of clients' identities for logs. Threading: stateless. */
final class IdentityText {
  private static final byte[] EMPTY = new byte[0];

  private IdentityText() {}

  /** Returns the DN of an identity; empty for anonymous clients and for identities without a DN. */
  static byte[] dn(Octets identity) {
    byte[] dn = ClientIdentity.dnOf(identity);
    return dn == null ? EMPTY : dn;
  }
}
