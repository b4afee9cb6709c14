// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import java.util.function.Consumer;

/** One request with its answer so far. Each request ends exactly once. Threading: event loop. */
final class PendingRequest {
  /** Result code of a request without an answer. The text is then the reason. */
  static final int NO_ANSWER = -1;

  private final byte[] body;
  private final LdapAnswer answer;
  private final Consumer<PendingRequest> whenOver;
  private long begun;
  private long due;
  private boolean isDue;
  private long deadline;
  private long ended;

  /**
   * @param body the protocolOp and the controls, as they follow the messageID
   * @param keepEntries true if entries are decoded, false if they are only counted
   * @param whenOver called when the request ends
   */
  PendingRequest(byte[] body, boolean keepEntries, Consumer<PendingRequest> whenOver) {
    this.body = body;
    this.answer = new LdapAnswer(keepEntries);
    this.whenOver = whenOver;
  }

  byte[] body() {
    return body;
  }

  LdapAnswer answer() {
    return answer;
  }

  /** Called when it is sent, or queued for a connection. */
  void begin(long now, long timeoutNanos) {
    begun = now;
    deadline = now + timeoutNanos;
  }

  /** Called when it is sent after a wait for its connection. The latency counts from here. */
  void sent(long now) {
    begun = now;
  }

  /** Sets the time at which it was due. The latency counts from then if it is sent later. */
  void due(long when) {
    due = when;
    isDue = true;
  }

  long begun() {
    return isDue && due - begun < 0 ? due : begun;
  }

  /** True if it only opens the connection, without a request. */
  boolean onlyConnects() {
    return body.length == 0;
  }

  long ended() {
    return ended;
  }

  boolean isOver() {
    return ended != 0;
  }

  boolean isLate(long now) {
    return now - deadline > 0;
  }

  void complete(int resultCode, String text) {
    if (!isOver()) {
      ended = System.nanoTime();
      answer.result(resultCode, text);
      whenOver.accept(this);
    }
  }

  void fail(String reason) {
    complete(NO_ANSWER, reason);
  }
}
