// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.frontend.ListenerConfig;

/** The server cannot start; the message says why in one line. Immutable. */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1L;

  StartException(String message, Throwable cause) {
    super(message, cause);
  }

  /** A listener cannot be opened. */
  static StartException cannotListen(ListenerConfig listener, Throwable cause) {
    String where = listener.host() + ":" + listener.port();
    return new StartException("cannot listen on " + where + ": " + cause.getMessage(), cause);
  }
}
