// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

/**
 * Under which name of the reports a request stands, and on which of the user's connections it is
 * sent. Immutable.
 *
 * @param line the name of a connection that is the user's own, or {@link #DEFAULT_LINE}
 */
public record Label(Text name, String line) {
  /** The connection of requests that name none: the protocol says what it is. */
  public static final String DEFAULT_LINE = "";

  boolean isDefaultLine() {
    return line.equals(DEFAULT_LINE);
  }
}
