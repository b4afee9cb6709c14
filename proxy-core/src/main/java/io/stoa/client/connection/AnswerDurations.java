// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.LatencyHistograms;
import io.stoa.operation.Operation;
import io.stoa.operation.event.CacheOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Records the durations of the answered operations of one client.
 *
 * <p>Responses written during a read are sent after it. So operations of one type and outcome that
 * one read has received and answered in a row have one duration. They are recorded together, at the
 * end of the read or at an answer of another type or outcome.
 *
 * <p>Threading: event loop.
 */
final class AnswerDurations {
  private final LatencyHistograms histograms;
  private boolean reading;

  /** Number of operations to be recorded when the read ends. All are equal in the next fields. */
  private int answers;

  private long receivedNanos;
  private @Nullable OpType type;
  private @Nullable CacheOutcome outcome;

  AnswerDurations(LatencyHistograms histograms) {
    this.histograms = histograms;
  }

  /** Called for each request that a read delivers. */
  void onRead() {
    reading = true;
  }

  /** Called when a read has delivered its last request. */
  void onReadComplete() {
    reading = false;
    record();
  }

  /** Adds an operation that has been answered. */
  void add(Operation operation) {
    boolean equal =
        receivedNanos == operation.receivedNanos()
            && type == operation.type()
            && outcome == operation.outcome();
    if (!equal) {
      record();
      receivedNanos = operation.receivedNanos();
      type = operation.type();
      outcome = operation.outcome();
    }
    answers++;
    if (!reading) {
      record();
    }
  }

  private void record() {
    if (answers > 0 && type != null && outcome != null) {
      histograms.record(type, outcome, System.nanoTime() - receivedNanos, answers);
      answers = 0;
    }
  }
}
