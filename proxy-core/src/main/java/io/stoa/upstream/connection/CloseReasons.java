// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.net.transport.FailureText;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates what ended an upstream connection into a reason, and logs it.
 *
 * <p>Threading: thread-safe; no state.
 */
final class CloseReasons {
  private static final Logger LOG = LoggerFactory.getLogger(UpstreamConnection.class);

  private CloseReasons() {}

  /** Logs an invalid response on a connection of clients, which is closed. */
  static void logInvalidResponse(Backend backend) {
    LOG.warn("upstream {} sent an invalid LDAP response; connection closed", backend.address());
  }

  /**
   * Returns the cause if it is a network or TLS failure; else null. A failure of Stoa itself is
   * logged.
   */
  static @Nullable IOException ofPeer(Throwable cause, Backend backend) {
    if (cause instanceof IOException ofPeer) {
      return ofPeer;
    }
    if (cause instanceof LdapProtocolException) {
      return null; // the connection has reported it already
    }
    if (cause instanceof OutOfMemoryError) {
      LOG.warn(
          "connection to upstream {} closed: out of memory: {}",
          backend.address(),
          FailureText.of(cause));
    } else {
      LOG.error("upstream connection closed by an internal error", cause);
    }
    return null;
  }
}
