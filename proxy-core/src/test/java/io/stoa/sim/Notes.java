// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.sim.check.Claim;
import io.stoa.sim.check.Read;
import io.stoa.sim.check.Recording;
import io.stoa.sim.check.Violation;
import io.stoa.sim.check.Write;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;

/** Who has asked what when, and what came of it, by the messageIDs. Thread-confined. */
final class Notes implements SimRoute.Requests {
  private final Map<Integer, Asked> asked = new HashMap<>();
  private final Map<Integer, Told> told = new HashMap<>();
  private final Map<Integer, Integer> served = new HashMap<>();
  private final Map<Integer, Integer> made = new HashMap<>();
  private final List<Read> reads = new ArrayList<>();
  private final List<Write> writes = new ArrayList<>();
  private final Map<Integer, Long> unsure = new TreeMap<>();
  private final List<Violation> refused = new ArrayList<>();
  private final long pause;
  private int open;

  /** Makes it for writes that may happen for so long after nobody knows whether they will. */
  Notes(long pause) {
    this.pause = pause;
  }

  /** A question, and what the proxy would have told of it. Immutable. */
  record Asked(Question question, long invoked, long decided, @Nullable Claim claim) {}

  private record Told(String identity, SimChange change) {}

  /** A search or a compare is given to the proxy. */
  void asked(int messageId, Asked question) {
    open++;
    asked.put(messageId, question);
  }

  /** The same of a write. */
  void told(int messageId, String identity, SimChange change) {
    open++;
    told.put(messageId, new Told(identity, change));
  }

  /** It is answered. */
  void answered(int messageId, long now, int code, Map<String, String> entries) {
    open--;
    Asked one = asked.get(messageId);
    if (one == null) {
      written(messageId, now, true);
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
            served.getOrDefault(messageId, Read.MEMORY),
            code,
            entries,
            one.claim()));
  }

  private void written(int messageId, long answered, boolean sure) {
    int state = made.getOrDefault(messageId, 0);
    if (state > 0) {
      Told write = told.get(messageId);
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
  void abandoned(int messageId) {
    open--;
    if (told.containsKey(messageId)) {
      unsure.put(messageId, Long.MAX_VALUE);
    }
  }

  /** Stoa itself has refused it: of a write nobody may know the outcome, all else is answered. */
  void refused(int messageId, long now, Rejection reason) {
    open--;
    if (reason == Rejection.OUTCOME_UNKNOWN_LOST) {
      unsure.put(messageId, now + pause);
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

  /**
   * To be called once, when all is over. Of what happens even later than whoever does not know
   * waits for it, as behind a transaction that takes long, the proxy knows no more than of what is
   * done past it.
   *
   * @param since when a state began
   */
  Recording recording(IntToLongFunction since) {
    unsure.forEach(
        (messageId, when) -> {
          if (since.applyAsLong(made.getOrDefault(messageId, 0)) <= when) {
            written(messageId, when, false);
          }
        });
    return new Recording(reads, writes);
  }

  @Override
  public Question question(Operation operation) {
    if (SimAudit.asks(operation)) {
      return SimAudit.question(operation);
    }
    Question question = asked.get(operation.messageId()).question();
    return question instanceof SimSearch search
            && operation.request().op() instanceof SearchOp present
        ? search.showing(texts(present.attributes()))
        : question;
  }

  private static List<String> texts(List<byte[]> octets) {
    List<String> texts = new ArrayList<>(octets.size());
    octets.forEach(one -> texts.add(new String(one, StandardCharsets.UTF_8)));
    return texts;
  }

  @Override
  public SimChange change(Operation operation) {
    return told.get(operation.messageId()).change();
  }

  @Override
  public void served(Operation operation, int state) {
    if (SimAudit.asks(operation)) {
      return;
    }
    served.put(operation.messageId(), state);
  }

  @Override
  public void made(Operation operation, int state) {
    made.put(operation.messageId(), state);
  }
}
