// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.operation.event.CacheOutcome;
import io.stoa.operation.event.TraceEvent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The course of one client operation, for logs and metrics. Operations that Stoa derives from it
 * share the trace.
 *
 * <p>Threading: event loop of its client.
 */
public final class OperationTrace {
  private long number;
  private int entries;
  private long octets;
  private CacheOutcome outcome = CacheOutcome.NONE;
  private String reason = "";
  private @Nullable Sending first;
  private @Nullable Sending last;
  private boolean hedged;
  private boolean administrative;
  private boolean action;
  private @Nullable TraceSteps steps;

  /** Begins to record steps, for an administrator who traces operations. */
  public void recordSteps() {
    steps = new TraceSteps();
  }

  /** True if steps are recorded. */
  public boolean hasSteps() {
    return steps != null;
  }

  /** Returns the steps in order; empty unless they are recorded. Called once, at the end. */
  public List<TraceStep> finishSteps() {
    return steps == null ? List.of() : steps.finish();
  }

  private void addStep(TraceEvent event, String detail) {
    if (steps != null) {
      steps.add(event, detail);
    }
  }

  /** Sets the sequence number of the operation on its client connection, from 0. */
  public void setNumber(long newNumber) {
    number = newNumber;
  }

  /** Returns the sequence number of the operation on its client connection, from 0. */
  public long number() {
    return number;
  }

  /** Counts a response that was sent to the client. */
  public void countResponse(boolean entry, int length) {
    entries += entry ? 1 : 0;
    octets += length;
  }

  /** Returns the number of entries that were sent to the client. */
  public int entries() {
    return entries;
  }

  /** Returns the octets of the responses that were sent to the client, without their envelopes. */
  public long octets() {
    return octets;
  }

  /** Records that a server answers and that its answer may be stored. */
  public void onMiss() {
    outcome = CacheOutcome.MISS;
    reason = "";
    addStep(TraceEvent.CACHE, outcome.word());
  }

  /**
   * Records that a server answers and that its answer must not be stored.
   *
   * @param newReason identifier of the reason
   */
  public void onBypass(String newReason) {
    outcome = CacheOutcome.BYPASS;
    reason = newReason;
    if (steps != null) {
      addStep(TraceEvent.CACHE, newReason.isEmpty() ? outcome.word() : "bypass: " + newReason);
    }
  }

  /** Records an answer from memory; that of an operation that has joined another stays a join. */
  public void onHit(boolean stale) {
    if (outcome != CacheOutcome.JOINED) {
      outcome = stale ? CacheOutcome.STALE : CacheOutcome.HIT;
    }
    addStep(TraceEvent.CACHE, stale ? CacheOutcome.STALE.word() : CacheOutcome.HIT.word());
  }

  /** Records that the operation waits for an equal search in flight. */
  public void onJoin() {
    outcome = CacheOutcome.JOINED;
    addStep(TraceEvent.CACHE, outcome.word());
  }

  /** Returns how the caches took part. */
  public CacheOutcome outcome() {
    return outcome;
  }

  /** Returns the identifier of the reason for a bypass; empty without one. */
  public String reason() {
    return reason;
  }

  /** Records that a request was sent to a server. */
  public void onSent(Sending sending) {
    if (first == null) {
      first = sending;
    }
    last = sending;
    if (steps != null) {
      steps.addSending(sending);
    }
  }

  /** Records that the operation waits. */
  void onQueued() {
    addStep(TraceEvent.QUEUED, "");
  }

  /** Records an attempt that failed. */
  void onFailed() {
    addStep(TraceEvent.FAILED, "");
  }

  /** Records that a part of a server's answer has arrived. */
  void onAnswer(long now) {
    if (steps != null) {
      steps.onAnswer(now);
    }
  }

  /** Returns the first sending; null if no server was asked. */
  public @Nullable Sending first() {
    return first;
  }

  /** Returns the last sending; null if no server was asked. */
  public @Nullable Sending last() {
    return last;
  }

  /** Records that a second server was asked because the first was late. */
  public void onHedged() {
    hedged = true;
    addStep(TraceEvent.HEDGED, "");
  }

  /** Records that the operation is the administrator's, or that it concerns Stoa's own trees. */
  public void onAdministrative() {
    administrative = true;
  }

  /** True if the operation is the administrator's, or concerns Stoa's own trees. */
  public boolean isAdministrative() {
    return administrative;
  }

  /** Records that the operation is a read that the audit log contains, such as a trace. */
  public void onAction() {
    action = true;
  }

  /** True if the operation is a read that the audit log contains. */
  public boolean isAction() {
    return action;
  }

  /** True if a second server was asked because the first was late. */
  public boolean isHedged() {
    return hedged;
  }
}
