// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.client.listener.ListenerConfig;

/**
 * Thrown when the server cannot start. The message is one line with the reason. Threading:
 * immutable.
 */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1L;

  StartException(String message) {
    super(message);
  }

  /** Creates the exception for a listener that cannot be opened. */
  static StartException cannotListen(ListenerConfig listener, String reason) {
    return new StartException("cannot listen on " + listener + ": " + reason);
  }
}
