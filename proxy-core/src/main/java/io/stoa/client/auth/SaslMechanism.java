// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides which SASL mechanisms of the directory a client may use through Stoa. This is the only
 * place where that is decided.
 *
 * <p>EXTERNAL identifies the peer of the server's connection, which is Stoa. A forwarded EXTERNAL
 * bind would give the client Stoa's own identity. Servers are lax about the name: Cyrus SASL
 * accepts {@code EXTERNAL-PLUS} and {@code external}, and stops reading at a NUL. So every name
 * that begins like EXTERNAL is refused, and so is everything that is not a valid mechanism name.
 *
 * <p>Threading: stateless.
 */
public final class SaslMechanism {
  /** Form of a mechanism name (RFC 4422, section 3.1). Servers ignore its letter case. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,20}");

  private static final String EXTERNAL = "EXTERNAL";

  /** Mechanisms that send a password or a token in the clear. */
  private static final Set<String> IN_THE_CLEAR =
      Set.of("PLAIN", "LOGIN", "OAUTHBEARER", "XOAUTH2");

  /**
   * Suffix of mechanisms with channel binding (RFC 5056). A client's TLS channel ends at Stoa, so
   * they cannot work.
   */
  private static final String PLUS = "-PLUS";

  private SaslMechanism() {}

  /** True if binds with this mechanism are forwarded to the directory. */
  public static boolean isForwarded(String name) {
    return NAME.matcher(name).matches() && !upper(name).startsWith(EXTERNAL);
  }

  /** True for EXTERNAL, by which Stoa identifies a client by its connection. */
  public static boolean isExternal(String name) {
    return NAME.matcher(name).matches() && upper(name).equals(EXTERNAL);
  }

  /** True if the mechanism works through Stoa, and may be offered if the directory offers it. */
  public static boolean isOffered(String name) {
    return isForwarded(name) && !upper(name).endsWith(PLUS);
  }

  /** True if the mechanism exposes a secret on an unencrypted connection. */
  public static boolean sendsSecret(String name) {
    return IN_THE_CLEAR.contains(upper(name));
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT);
  }
}
