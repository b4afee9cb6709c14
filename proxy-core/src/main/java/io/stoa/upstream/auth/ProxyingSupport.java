// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.SearchEntry;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Checks a server's root DSE for support of proxied authorization.
 *
 * <p>Threading: thread-safe; no state.
 */
public final class ProxyingSupport {
  private ProxyingSupport() {}

  /**
   * Returns why the server is unusable, by its root DSE; empty if it is usable.
   *
   * @param root the root DSE; null if it could not be read
   */
  public static String refusal(byte @Nullable [] root) {
    if (root == null) {
      return "root DSE is not readable anonymously, which proxied authorization requires";
    }
    return isSupported(root)
        ? ""
        : "server does not support proxied authorization (no supportedControl "
            + Oids.PROXIED_AUTHZ_V2
            + " in the root DSE)";
  }

  private static boolean isSupported(byte[] root) {
    try {
      for (SearchEntry.AttributeOctets attribute : SearchEntry.parse(root).attributes()) {
        boolean controls = text(attribute.type()).equalsIgnoreCase("supportedControl");
        if (controls && attribute.values().stream().anyMatch(ProxyingSupport::isControl)) {
          return true;
        }
      }
      return false;
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  private static boolean isControl(byte[] value) {
    return text(value).equals(Oids.PROXIED_AUTHZ_V2);
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }
}
