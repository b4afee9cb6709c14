// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import java.io.IOException;

/**
 * Where the lines of a log go.
 *
 * <p>Threading: confined to the thread of one log, except for {@link #reopen}.
 */
interface LogDestination extends AutoCloseable {
  /**
   * Writes whole lines.
   *
   * @throws IOException if they were not written; the next call tries again
   */
  void write(byte[] octets, int length) throws IOException;

  /** Returns the name of the destination for messages. */
  @Override
  String toString();

  /** Opens the destination anew before the next lines, since its file may have been renamed. */
  default void reopen() {
    // most destinations have no file
  }

  @Override
  void close();
}
