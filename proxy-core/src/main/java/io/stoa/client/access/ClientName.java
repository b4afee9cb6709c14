// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Restriction;
import org.jspecify.annotations.Nullable;

/**
 * The name under which a client acts, as far as Stoa knows it.
 *
 * <p>Threading: immutable.
 *
 * @param isAnonymous true if the client seems anonymous
 * @param isCertain false if a SASL bind may have succeeded without a known identity
 * @param name the name; null for anonymous clients and for unknown names
 */
record ClientName(boolean isAnonymous, boolean isCertain, @Nullable DnTarget name) {
  static final ClientName ANONYMOUS = new ClientName(true, true, null);

  /** Returns the name in a simple bind. */
  static ClientName bindName(byte[] name, ServerProfile profile) {
    return new ClientName(false, true, DnTarget.of(name, DnTarget.ENTRY, profile));
  }

  /**
   * Returns the name of a session. After a SASL bind whose identity the server does not report, the
   * session is exclusive and has no name.
   */
  static ClientName of(ClientSession session, ServerProfile profile) {
    ClientIdentity identity = session.identity();
    if (identity.isAnonymous()) {
      boolean certain = session.restriction() != Restriction.EXCLUSIVE;
      return certain ? ANONYMOUS : new ClientName(true, false, null);
    }
    byte[] name = nameOf(identity);
    return new ClientName(
        false, true, name == null ? null : DnTarget.of(name, DnTarget.ENTRY, profile));
  }

  private static byte @Nullable [] nameOf(ClientIdentity identity) {
    byte[] dn = identity.dn();
    byte[] name = dn == null ? ClientIdentity.dnOf(identity.name()) : dn;
    Octets authzId = identity.authzId();
    return name == null && authzId != null ? authzId.array() : name;
  }
}
