// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.tls.TlsException;
import java.net.BindException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the server cannot start. The message is one line with the reason. Threading:
 * immutable.
 */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1L;

  StartException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** Creates the exception for a listener that cannot be opened. */
  static StartException cannotListen(
      ListenerConfig listener, String reason, @Nullable Throwable cause) {
    return new StartException("cannot listen on " + listener + ": " + reason, cause);
  }

  /** True if a file of TLS cannot be used. */
  boolean isTlsFailure() {
    return getCause() instanceof TlsException;
  }

  /** True if an address is in use, or is not one of this host. */
  boolean isBindFailure() {
    Throwable cause = getCause();
    while (cause != null && !(cause instanceof BindException)) {
      cause = cause.getCause();
    }
    return cause != null;
  }
}
