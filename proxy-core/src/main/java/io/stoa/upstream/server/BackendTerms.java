// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.time.Duration;

/**
 * What a server is used for, and how much. Immutable.
 *
 * @param primary whether it takes writes
 * @param exposed whether it may not be given what clients have sent by TLS
 * @param maxConnections how many connections it may have; at least 1
 * @param maxConnecting how many of them may be in the making at once; at least 1
 * @param weight how much of the work it is given, beside others; at least 1
 * @param slowStart how long it takes after a return until it is given so much; may be 0
 * @param maxInFlight how many operations it is given at once; 0 for as many as it tolerates
 */
public record BackendTerms(
    boolean primary,
    boolean exposed,
    int maxConnections,
    int maxConnecting,
    int weight,
    Duration slowStart,
    int maxInFlight) {
  public BackendTerms {
    if (weight < 1) {
      throw new IllegalArgumentException("weight " + weight + " is below 1");
    }
    if (slowStart.isNegative()) {
      throw new IllegalArgumentException("slowStart is negative; 0 switches it off");
    }
  }

  /** A server like any other. */
  public static BackendTerms of(boolean primary, int maxConnections) {
    return new BackendTerms(primary, false, maxConnections, maxConnections, 1, Duration.ZERO, 0);
  }
}
