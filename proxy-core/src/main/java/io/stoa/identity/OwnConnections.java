// SPDX-License-Identifier: Apache-2.0
package io.stoa.identity;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.ldap.Octets;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The clients for which the service account never acts, however their names are typed. Immutable.
 */
public final class OwnConnections {
  private final Set<String> names;

  /** Makes it of DNs. */
  public OwnConnections(Collection<String> dns) {
    this.names = dns.stream().map(OwnConnections::normal).collect(Collectors.toUnmodifiableSet());
  }

  /** Whether the client that bound with this name is one of them. */
  public boolean contains(Octets name) {
    return !names.isEmpty()
        && names.contains(normal(new String(name.array(), StandardCharsets.UTF_8)));
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
