// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.operation.event.TraceEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * The steps of one operation, recorded only while an administrator traces operations.
 *
 * <p>Threading: event loop of its client.
 */
final class TraceSteps {
  /** Maximum number of steps: 100. A search of many directories may have more. */
  private static final int MAX = 100;

  private final List<TraceStep> steps = new ArrayList<>();
  private long firstAnswer;
  private long lastAnswer;
  private boolean answering;

  void add(TraceEvent event, String detail) {
    add(new TraceStep(event, System.nanoTime(), detail, null));
  }

  void addSending(Sending sending) {
    endAnswer();
    add(new TraceStep(TraceEvent.SENT, sending.nanos(), "", sending));
  }

  private void add(TraceStep step) {
    if (steps.size() < MAX) {
      steps.add(step);
    } else if (steps.size() == MAX) {
      steps.add(new TraceStep(TraceEvent.OMITTED, step.nanos(), "", null));
    }
  }

  /** Records a part of an answer. Only the first and the last one are steps. */
  void onAnswer(long now) {
    if (!answering) {
      answering = true;
      firstAnswer = now;
      add(new TraceStep(TraceEvent.FIRST_ANSWER, now, "", null));
    }
    lastAnswer = now;
  }

  /** Adds the end of an answer of several parts. */
  private void endAnswer() {
    if (answering && lastAnswer != firstAnswer) {
      add(new TraceStep(TraceEvent.LAST_ANSWER, lastAnswer, "", null));
    }
    answering = false;
  }

  /** Ends the last answer, and returns a copy of the steps. Called at the end of the operation. */
  List<TraceStep> finish() {
    endAnswer();
    return List.copyOf(steps);
  }
}
