// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Watches all clients of a run: judges their answers by the {@link AnswerOracle}, counts their
 * reads, and writes once in so many of them. Thread-safe.
 */
final class MixedRun implements Trace.Witness {
  private static final int READS_PER_WRITE = 500;
  private static final int WRITES_PER_ONE_BEHIND = 3;

  private final AnswerOracle history;
  private final TracedWrite.Source changes;
  private final AtomicLong reads = new AtomicLong();
  private final Map<String, Long> requests = new ConcurrentHashMap<>();
  private int writes;

  MixedRun(AnswerOracle history, TracedWrite.Source changes) {
    this.history = history;
    this.changes = changes;
  }

  long reads() {
    return reads.get();
  }

  @Override
  public void asks(TracedRequest question) {
    history.asks(question);
  }

  @Override
  public void answered(TracedRequest question, int part, long sent, String answer) {
    history.answered(question, part, sent, answer);
    if (!question.isBind()) {
      requests.merge(question.identity(), 1L, Long::sum);
      if (reads.incrementAndGet() % READS_PER_WRITE == 0) {
        write();
      }
    }
  }

  private synchronized void write() {
    writes++;
    history.change(changes.next(), writes % WRITES_PER_ONE_BEHIND == 0);
  }

  /**
   * How many of the reads of each client were answered from memory.
   *
   * @param reached those that were not, by identity
   */
  String ratios(Map<String, Long> reached) {
    Map<String, Long> all = byClient(requests);
    Map<String, Long> missed = byClient(reached);
    StringBuilder ratios = new StringBuilder();
    all.forEach(
        (client, count) -> {
          double hits = 100.0 * (count - missed.getOrDefault(client, 0L)) / count;
          ratios.append(String.format(Locale.ROOT, "%n  %s: %.1f %% of %d", client, hits, count));
        });
    return ratios.toString();
  }

  private static Map<String, Long> byClient(Map<String, Long> byIdentity) {
    Map<String, Long> clients = new TreeMap<>();
    byIdentity.forEach((identity, count) -> clients.merge(client(identity), count, Long::sum));
    return clients;
  }

  private static String client(String identity) {
    if (identity.isEmpty()) {
      return "nobody in particular";
    }
    boolean person = identity.startsWith("uid=");
    return person ? "people themselves" : identity.substring(3, identity.indexOf(','));
  }
}
