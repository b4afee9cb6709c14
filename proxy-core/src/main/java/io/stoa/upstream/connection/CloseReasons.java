// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What ends connections to servers without an answer that is to blame. Stateless. */
final class CloseReasons {
  private static final Logger LOG = LoggerFactory.getLogger(UpstreamConnection.class);

  private CloseReasons() {}

  /**
   * What the server sent is not an answer. The log has it once for each connection of clients; a
   * server that tells its probe so is down for it, and that is logged when it happens.
   */
  static @Nullable IOException invalid(Backend backend, boolean counted) {
    if (!counted) {
      return new IOException("it sent an invalid answer");
    }
    LOG.warn("upstream {} sent an invalid answer; the connection is closed", backend.address());
    return null;
  }

  /** The failure of the network or of TLS, if it is one; anything else is Stoa's, and logged. */
  static @Nullable IOException ofPeer(Throwable cause, Backend backend) {
    if (cause instanceof IOException ofPeer) {
      return ofPeer;
    }
    if (cause instanceof LdapProtocolException) {
      return null; // the connection has told of it
    }
    if (cause instanceof OutOfMemoryError) {
      LOG.warn("no memory is left for {}: {}", backend.address(), cause.getMessage());
    } else {
      LOG.error("upstream connection ended by a defect", cause);
    }
    return null;
  }
}
