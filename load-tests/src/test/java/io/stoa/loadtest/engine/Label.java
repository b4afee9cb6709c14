// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

/**
 * Name of a request in the reports, and the user's connection for it.
 *
 * <p>Threading: immutable.
 *
 * @param name name in the reports
 * @param line name of a connection of the user's own, or {@link #DEFAULT_LINE}
 */
public record Label(Text name, String line) {
  /** Connection of requests that name none. The protocol determines whether it is shared. */
  public static final String DEFAULT_LINE = "";

  boolean isDefaultLine() {
    return line.equals(DEFAULT_LINE);
  }
}
