// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which SASL mechanisms of the directory a client may use through Stoa; the only place where that
 * is decided. Stateless.
 *
 * <p>EXTERNAL names the peer of the server's connection, and that is Stoa: a client that got
 * through with it would be Stoa. Servers are lax about the name (Cyrus SASL takes {@code
 * EXTERNAL-PLUS} and {@code external}, and reads no further than a NUL), so whatever begins like it
 * is refused, and whatever is no name of a mechanism at all.
 */
public final class SaslMechanism {
  /** RFC 4422, section 3.1, which servers read regardless of case. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,20}");

  private static final String EXTERNAL = "EXTERNAL";

  /** Those that send a password or a token as it is. */
  private static final Set<String> IN_THE_CLEAR =
      Set.of("PLAIN", "LOGIN", "OAUTHBEARER", "XOAUTH2");

  /** With channel binding (RFC 5056): a client's channel ends at Stoa. */
  private static final String PLUS = "-PLUS";

  private SaslMechanism() {}

  /** Whether binds by the mechanism are sent to the directory. */
  public static boolean isForwarded(String name) {
    return NAME.matcher(name).matches() && !upper(name).startsWith(EXTERNAL);
  }

  /** Whether it is the one by which a client is whom its connection to Stoa proves it to be. */
  public static boolean isExternal(String name) {
    return NAME.matcher(name).matches() && upper(name).equals(EXTERNAL);
  }

  /** Whether the mechanism works through Stoa, and may be offered where the directory does. */
  public static boolean isOffered(String name) {
    return isForwarded(name) && !upper(name).endsWith(PLUS);
  }

  /** Whether a secret can be read in what is sent, if the connection does not hide it. */
  public static boolean sendsSecret(String name) {
    return IN_THE_CLEAR.contains(upper(name));
  }

  private static String upper(String name) {
    return name.toUpperCase(Locale.ROOT);
  }
}
