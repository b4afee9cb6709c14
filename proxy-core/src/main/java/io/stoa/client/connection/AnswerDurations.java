// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.ClientSession;
import io.stoa.operation.LatencyHistograms;
import io.stoa.operation.Operation;
import io.stoa.operation.digest.DigestBatch;
import io.stoa.operation.digest.SearchDigest;
import io.stoa.operation.event.CacheOutcome;
import java.util.function.Supplier;
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
  private final ClientSession client;
  private final LatencyHistograms histograms;
  private final DigestBatch hits;
  private boolean reading;

  /** Number of operations to be recorded when the read ends. All are equal in the next fields. */
  private int answers;

  /** Asks for the network; one object for all records. */
  private final Supplier<Octets> network;

  private long receivedNanos;
  private @Nullable OpType type;
  private @Nullable CacheOutcome outcome;

  /**
   * Creates a recorder.
   *
   * @param hits the hits of the present read, by the patterns of their searches
   */
  AnswerDurations(ClientSession client, LatencyHistograms histograms, DigestBatch hits) {
    this.client = client;
    this.histograms = histograms;
    this.hits = hits;
    this.network = client::network;
  }

  /** Called for each request that a read delivers. */
  void onRead() {
    reading = true;
  }

  /** Called when a read has delivered its last request. */
  void onReadComplete() {
    reading = false;
    record();
    hits.complete(); // empty unless the connection was closed while a hit was written
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
      long now = System.nanoTime();
      long nanos = now - receivedNanos;
      histograms.record(type, outcome, nanos, answers);
      hits.complete(nanos, now, client.identity().name(), network);
      answers = 0;
    }
  }

  /** Counts a search that was not answered from memory at once, before it ends. */
  void addSearch(Operation operation, int resultCode) {
    SearchDigest digest = operation.countInDigest(resultCode);
    long weight = digest == null ? 0 : digest.senderWeight(1, System.nanoTime());
    if (digest != null && weight > 0) {
      digest.addSender(client.identity().name(), client.network(), weight);
    }
  }
}
