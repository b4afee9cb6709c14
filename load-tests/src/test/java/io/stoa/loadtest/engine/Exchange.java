// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import java.util.function.Consumer;

/** One request and what has come of it so far; it ends once. Event-loop confined. */
final class Exchange {
  /** Why a request has no answer goes in the place of the server's text. */
  static final int NO_ANSWER = -1;

  private final byte[] body;
  private final LdapAnswer answer;
  private final Consumer<Exchange> whenOver;
  private long begun;
  private long due;
  private boolean isDue;
  private long deadline;
  private long ended;

  /**
   * @param body the protocolOp and the controls, as they follow the messageID
   * @param keepEntries whether entries are read, not only counted
   */
  Exchange(byte[] body, boolean keepEntries, Consumer<Exchange> whenOver) {
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

  /** It is sent now, or as soon as there is a connection. */
  void begin(long now, long timeoutNanos) {
    begun = now;
    deadline = now + timeoutNanos;
  }

  /** Its connection took some time to be made: its latency begins here. */
  void sent(long now) {
    begun = now;
  }

  /** It was meant to be sent then: if it is sent later, its latency begins here nevertheless. */
  void due(long when) {
    due = when;
    isDue = true;
  }

  long begun() {
    return isDue && due - begun < 0 ? due : begun;
  }

  /** It opens the connection, and is nothing that could be sent. */
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
