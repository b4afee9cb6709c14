// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.sim.check.Read;
import io.stoa.sim.check.Recording;
import io.stoa.sim.check.Violation;
import io.stoa.sim.check.Write;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Who has asked what when, and what came of it, by the messageIDs. Thread-confined. */
final class Notes implements SimRoute.Requests {
  private final Map<Integer, Asked> asked = new TreeMap<>();
  private final Map<Integer, Told> told = new TreeMap<>();
  private final Map<Integer, Integer> served = new HashMap<>();
  private final Map<Integer, Integer> made = new HashMap<>();
  private final List<Read> reads = new ArrayList<>();
  private final List<Write> writes = new ArrayList<>();
  private final Map<Integer, Long> lost = new TreeMap<>();
  private final List<Violation> refused = new ArrayList<>();
  private final long pause;
  private int open;

  /** Makes it for writes that may happen for so long after nobody knows whether they will. */
  Notes(long pause) {
    this.pause = pause;
  }

  private record Asked(SimSearch search, long invoked) {}

  private record Told(String identity, SimChange change) {}

  /** A search is sent; returns its messageID. */
  int asked(int number, SimSearch search, long now) {
    open++;
    asked.put(number + 1, new Asked(search, now));
    return number + 1;
  }

  /** The same of a write. */
  int told(int number, String identity, SimChange change) {
    open++;
    told.put(number + 1, new Told(identity, change));
    return number + 1;
  }

  /** It is answered. */
  void answered(int messageId, long now, int code, Map<String, String> entries) {
    open--;
    Asked question = asked.get(messageId);
    if (question == null) {
      written(messageId, now, true);
      return;
    }
    SimSearch search = question.search();
    reads.add(
        new Read(
            messageId - 1,
            search.identity(),
            search,
            search.base(),
            question.invoked(),
            now,
            served.getOrDefault(messageId, Read.MEMORY),
            code,
            entries));
  }

  private void written(int messageId, long answered, boolean sure) {
    int state = made.getOrDefault(messageId, 0);
    if (state > 0) {
      Told write = told.get(messageId);
      SimChange change = write.change();
      List<String> names = change.names();
      writes.add(new Write(write.identity(), names, change.deep(), state, answered, sure));
    }
  }

  /** Stoa itself has refused it: of a write nobody may know the outcome, all else is answered. */
  void refused(int messageId, long now, Rejection reason) {
    open--;
    if (reason == Rejection.OUTCOME_UNKNOWN_LOST) {
      lost.put(messageId, now);
    } else {
      String what = "request %d is refused: %s".formatted(messageId - 1, reason);
      refused.add(new Violation(Violation.Kind.UNANSWERED, what));
    }
  }

  /** What was not answered as it should have been. */
  List<Violation> unanswered() {
    List<Violation> all = new ArrayList<>(refused);
    if (open > 0) {
      all.add(new Violation(Violation.Kind.UNANSWERED, open + " requests have no answer"));
    }
    return all;
  }

  /** To be called once, when all is over. */
  Recording recording() {
    lost.forEach((messageId, when) -> written(messageId, when + pause, false));
    return new Recording(reads, writes);
  }

  @Override
  public SimSearch search(Operation operation) {
    return asked.get(operation.messageId()).search();
  }

  @Override
  public SimChange change(Operation operation) {
    return told.get(operation.messageId()).change();
  }

  @Override
  public void served(Operation operation, int state) {
    served.put(operation.messageId(), state);
  }

  @Override
  public void made(Operation operation, int state) {
    made.put(operation.messageId(), state);
  }
}
