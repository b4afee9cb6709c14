// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.client.listener.ListenerConfig;

/** The server cannot start; the message says why in one line. Immutable. */
public final class StartException extends Exception {
  private static final long serialVersionUID = 1L;

  StartException(String message) {
    super(message);
  }

  /** A listener cannot be opened. */
  static StartException cannotListen(ListenerConfig listener, String reason) {
    return new StartException("cannot listen on " + listener + ": " + reason);
  }
}
