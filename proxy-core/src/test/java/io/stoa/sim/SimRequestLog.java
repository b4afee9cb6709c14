// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.sim.check.Claim;
import io.stoa.sim.check.Read;
import io.stoa.sim.check.Recording;
import io.stoa.sim.check.Violation;
import io.stoa.sim.check.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** Who has asked what when, and what came of it, by the messageIDs. Thread-confined. */
final class SimRequestLog implements SimRoute.Requests {
  private final Map<Integer, ReadRequest> readRequests = new HashMap<>();
  private final Map<Integer, WriteRequest> writeRequests = new HashMap<>();
  private final Map<Integer, Integer> servedStates = new HashMap<>();
  private final Map<Integer, Integer> appliedStates = new HashMap<>();
  private final List<Read> reads = new ArrayList<>();
  private final List<Write> writes = new ArrayList<>();
  private final Map<Integer, Long> unknownOutcomes = new TreeMap<>();
  private final List<Violation> refusals = new ArrayList<>();
  private final long pause;
  private int open;

  /** Makes it for writes that may happen for so long after nobody knows whether they will. */
  SimRequestLog(long pause) {
    this.pause = pause;
  }

  /** A question, and what the proxy would have told of it. Immutable. */
  record ReadRequest(SimRequest question, long invoked, long decided, @Nullable Claim claim) {}

  private record WriteRequest(String identity, SimChange change) {}

  /** A search or a compare is given to the proxy. */
  void onRead(int messageId, ReadRequest question) {
    open++;
    readRequests.put(messageId, question);
  }

  /** The same of a write. */
  void onWrite(int messageId, String identity, SimChange change) {
    open++;
    writeRequests.put(messageId, new WriteRequest(identity, change));
  }

  /** It is answered. */
  void onAnswered(int messageId, long now, int code, Map<String, String> entries) {
    open--;
    ReadRequest one = readRequests.get(messageId);
    if (one == null) {
      recordWrite(messageId, now, true);
      return;
    }
    reads.add(
        new Read(
            messageId - 1,
            one.question().identity(),
            one.question(),
            one.question().base(),
            one.question().derives(),
            one.invoked(),
            one.decided(),
            now,
            servedStates.getOrDefault(messageId, Read.MEMORY),
            code,
            entries,
            one.claim()));
  }

  private void recordWrite(int messageId, long answered, boolean sure) {
    int state = appliedStates.getOrDefault(messageId, 0);
    if (state > 0) {
      WriteRequest write = writeRequests.get(messageId);
      SimChange change = write.change();
      writes.add(
          new Write(
              write.identity(),
              change.names(),
              change.deep(),
              change.derived(),
              state,
              answered,
              sure));
    }
  }

  /** Its client does not want it any more: of a write it never learns whether it was done. */
  void onAbandoned(int messageId) {
    open--;
    if (writeRequests.containsKey(messageId)) {
      unknownOutcomes.put(messageId, Long.MAX_VALUE);
    }
  }

  /** Stoa itself has refused it: of a write nobody may know the outcome, all else is answered. */
  void onRefused(int messageId, long now, Rejection reason) {
    open--;
    if (reason == Rejection.OUTCOME_UNKNOWN_LOST) {
      unknownOutcomes.put(messageId, now + pause);
    } else {
      String what = "request %d is refused: %s".formatted(messageId - 1, reason);
      refusals.add(new Violation(Violation.Kind.UNANSWERED, what));
    }
  }

  /** What was not answered as it should have been. */
  List<Violation> unanswered() {
    List<Violation> all = new ArrayList<>(refusals);
    if (open > 0) {
      all.add(new Violation(Violation.Kind.UNANSWERED, open + " requests have no answer"));
    }
    return all;
  }

  /**
   * To be called once, when all is over. Of what happens even later than whoever does not know
   * waits for it, as behind a transaction that takes long, the proxy knows no more than of what is
   * done past it.
   *
   * @param since when a state began
   */
  Recording recording(IntToLongFunction since) {
    unknownOutcomes.forEach(
        (messageId, when) -> {
          if (since.applyAsLong(appliedStates.getOrDefault(messageId, 0)) <= when) {
            recordWrite(messageId, when, false);
          }
        });
    return new Recording(reads, writes);
  }

  @Override
  public SimRequest requestOf(Operation operation) {
    return SimAudit.requestOf(operation); // Stoa may ask for more, or verify an earlier hit
  }

  @Override
  public SimChange changeOf(Operation operation) {
    return writeRequests.get(operation.messageId()).change();
  }

  @Override
  public void onServed(Operation operation, int state) {
    if (SimAudit.isOwnRequest(operation) || operation.isDerived()) {
      return; // an earlier hit of the client is verified
    }
    servedStates.put(operation.messageId(), state);
  }

  @Override
  public void onApplied(Operation operation, int state) {
    appliedStates.put(operation.messageId(), state);
  }
}
