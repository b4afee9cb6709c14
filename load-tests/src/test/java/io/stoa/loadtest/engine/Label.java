// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

/**
 * Name of a request in the reports, and the user's connection for it.
 *
 * <p>Threading: immutable.
 *
 * @param name name in the reports
 * @param connection name of a connection of the user's own, or {@link #DEFAULT_CONNECTION}
 */
public record Label(Text name, String connection) {
  /** Connection of requests that name none. The protocol determines whether it is shared. */
  public static final String DEFAULT_CONNECTION = "";

  boolean isDefaultLine() {
    return connection.equals(DEFAULT_CONNECTION);
  }
}
