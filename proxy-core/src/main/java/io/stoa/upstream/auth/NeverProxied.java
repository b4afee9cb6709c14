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
 * The identities for which the service account never acts: anonymous clients, clients without an
 * authorization identity that the control can carry, and those that the administrator lists.
 *
 * <p>Threading: immutable.
 */
public final class NeverProxied {
  private static final String DN_FORM = "dn:";

  private final Set<String> names;

  /** Creates the set from DNs. */
  public NeverProxied(Collection<String> dns) {
    this.names = dns.stream().map(NeverProxied::normal).collect(Collectors.toUnmodifiableSet());
  }

  /** True if two authorization identities are equal, as far as their text shows. */
  public static boolean same(Octets one, Octets other) {
    String text = text(one);
    return one.equals(other)
        || (text.startsWith(DN_FORM)
            && new NeverProxied(List.of(text.substring(DN_FORM.length()))).contains(other));
  }

  /** True if the service account does not act for this identity. */
  public boolean contains(ClientIdentity identity) {
    Octets authzId = identity.authzId();
    return identity.isAnonymous() || authzId == null || (!names.isEmpty() && contains(authzId));
  }

  /** True if the administrator lists this authorization identity. */
  boolean contains(Octets authzId) {
    String text = text(authzId);
    return text.startsWith(DN_FORM) && names.contains(normal(text.substring(DN_FORM.length())));
  }

  private static String text(Octets octets) {
    return new String(octets.array(), StandardCharsets.UTF_8);
  }

  /**
   * Returns the normalized DN: case, spaces and escapes do not matter. Other names stay as they
   * are.
   */
  private static String normal(String name) {
    try {
      return DN.normalize(name);
    } catch (LDAPException e) {
      return name;
    }
  }
}
