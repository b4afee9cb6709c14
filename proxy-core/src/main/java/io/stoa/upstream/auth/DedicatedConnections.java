// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The clients for which the service account never acts: anonymous ones, those that the directory
 * knows by no name that the control could give, and those that the administrator names. Immutable.
 */
public final class DedicatedConnections {
  private static final String DN_FORM = "dn:";

  private final Set<String> names;

  /** Makes it of DNs. */
  public DedicatedConnections(Collection<String> dns) {
    this.names =
        dns.stream().map(DedicatedConnections::normal).collect(Collectors.toUnmodifiableSet());
  }

  /** Whether two authorization identities are one, as far as that can be told from them. */
  public static boolean same(Octets one, Octets other) {
    String text = text(one);
    return one.equals(other)
        || (text.startsWith(DN_FORM)
            && new DedicatedConnections(List.of(text.substring(DN_FORM.length()))).contains(other));
  }

  /** Whether whoever acts as this identity is one of them. */
  public boolean contains(ClientIdentity identity) {
    Octets authzId = identity.authzId();
    return identity.anonymous() || authzId == null || (!names.isEmpty() && contains(authzId));
  }

  /** Whether an authorization identity is that of one whom the administrator names. */
  boolean contains(Octets authzId) {
    String text = text(authzId);
    return text.startsWith(DN_FORM) && names.contains(normal(text.substring(DN_FORM.length())));
  }

  private static String text(Octets octets) {
    return new String(octets.array(), StandardCharsets.UTF_8);
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
