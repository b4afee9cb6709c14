// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/**
 * Progress of an operation beyond Stoa: its attempts, and its waiting times. An answer from memory
 * needs none.
 *
 * <p>Threading: event loop of its client.
 */
final class UpstreamProgress {
  /** Number of times it was sent to a server. */
  int sendings;

  /** Number of attempts without an answer. */
  int attempts;

  /** Time at which the last part of an answer arrived, or else of its receipt. */
  long lastResponseNanos;

  /** Time since when its client has waited for the first part of this answer. */
  long waitsSince;

  /** Total time for which it has waited to be sent, in nanoseconds. */
  long waited;

  UpstreamProgress(long receivedNanos) {
    lastResponseNanos = receivedNanos;
    waitsSince = receivedNanos;
  }
}
