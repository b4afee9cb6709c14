// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.operation.digest.SearchDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Progress of an operation beyond Stoa: its attempts, its waiting times, and the servers that
 * answer. An answer from memory needs none.
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

  /** Servers that answer, in order. */
  List<ReadSource> sources = List.of();

  /** How the operation is ended before its answer; null if no work has begun. */
  @Nullable Cancellation cancellation;

  /** The operation for which it was created; null if a client sent it. */
  @Nullable Operation origin;

  /** True if its answer is no part of the answer to its origin. */
  boolean beside;

  /** The digest that counts it, and its answer; null if none does. */
  @Nullable SearchDigest digest;

  int entries;
  long octets;

  UpstreamProgress(long receivedNanos) {
    lastResponseNanos = receivedNanos;
    waitsSince = receivedNanos;
  }

  /** Returns the progress of the operation that continues for others after its client has left. */
  UpstreamProgress passedOn() {
    UpstreamProgress copy = new UpstreamProgress(lastResponseNanos);
    copy.sendings = sendings;
    copy.attempts = attempts;
    copy.waitsSince = waitsSince;
    copy.waited = waited;
    copy.sources = sources;
    return copy;
  }
}
