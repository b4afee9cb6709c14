// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.time.Duration;

/**
 * Settings of one server.
 *
 * <p>Threading: immutable.
 *
 * @param primary true if the server takes writes
 * @param exposed true if secrets from TLS clients must not be sent to the server
 * @param maxConnections maximum number of connections; at least 1
 * @param maxConnecting maximum number of connections being opened; at least 1
 * @param weight share of the load, relative to other servers; at least 1
 * @param slowStart time from a return to the full weight; may be 0
 * @param maxInFlight maximum number of operations in flight; 0 for as many as the server tolerates
 */
public record BackendConfig(
    boolean primary,
    boolean exposed,
    int maxConnections,
    int maxConnecting,
    int weight,
    Duration slowStart,
    int maxInFlight) {
  public BackendConfig {
    if (weight < 1) {
      throw new IllegalArgumentException("weight " + weight + " is below 1");
    }
    if (slowStart.isNegative()) {
      throw new IllegalArgumentException("slowStart is negative; 0 switches it off");
    }
  }
}
