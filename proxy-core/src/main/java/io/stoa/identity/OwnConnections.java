// SPDX-License-Identifier: Apache-2.0
package io.stoa.identity;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.ldap.Octets;
import io.stoa.operation.ClientIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The clients for which the service account never acts: anonymous ones, those that the directory
 * knows by no name that the control could give, and those that the administrator names. Immutable.
 */
public final class OwnConnections {
  private final Set<String> names;

  /** Makes it of DNs. */
  public OwnConnections(Collection<String> dns) {
    this.names = dns.stream().map(OwnConnections::normal).collect(Collectors.toUnmodifiableSet());
  }

  /** Whether whoever acts as this identity is one of them. */
  public boolean contains(ClientIdentity identity) {
    return identity.anonymous()
        || identity.authzId() == null
        || (!names.isEmpty() && names.contains(normal(text(identity.name()))));
  }

  private static String text(Octets name) {
    return new String(name.array(), StandardCharsets.UTF_8);
  }

  /** Case, spaces and escapes make no difference; what is no DN is taken as it is. */
  private static String normal(String name) {
    try {
      return DN.normalize(name);
    } catch (LDAPException e) {
      return name;
    }
  }
}
