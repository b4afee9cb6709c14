// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.Octets;
import org.jspecify.annotations.Nullable;

/**
 * As whom a session acts: the name with which it bound, octet for octet. Two spellings of one name
 * are two identities, which costs hits and never shows anything to the wrong one. Immutable, but
 * for its credentials.
 *
 * @param name the name of the bind request; empty for anonymous clients
 * @param credentials what binds as this identity again; null for anonymous clients, and where
 *     passwords are not kept
 */
public record ClientIdentity(Octets name, @Nullable Credentials credentials) {
  /** Clients that did not bind, bound without a password, or failed to bind. */
  public static final ClientIdentity ANONYMOUS = new ClientIdentity(Octets.EMPTY, null);

  /** Whether this is the anonymous identity. */
  public boolean anonymous() {
    return name.length() == 0;
  }

  /** Prints no name: it would reach logs. */
  @Override
  public String toString() {
    return anonymous() ? "anonymous" : "bound identity";
  }
}
