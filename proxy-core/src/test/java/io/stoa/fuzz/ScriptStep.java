// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;

/**
 * One step of a script. Immutable.
 *
 * @param kind to whom the request is sent
 * @param identity index of the identity that sends it
 * @param way for a write through Stoa: index of the Stoa
 * @param page for a walk: size of a page
 * @param vocabulary where it asks or writes
 */
record ScriptStep(
    Kind kind, int identity, int way, RawRequest request, int page, Vocabulary vocabulary) {
  private static final int BIND = 0x60;

  /** To whom a request is sent. */
  enum Kind {
    /** To the directory and through every Stoa; the answers must be equal. */
    ASK,
    /** The same, page by page to the end. */
    WALK,
    /** To the directory and through every Stoa, and abandoned at once; no answer is compared. */
    ABANDON,
    /** No request: what was stored before is older afterwards than is given without a feed. */
    PAUSE,
    /** Once, through one Stoa. */
    WRITE_THROUGH,
    /** Once, to the directory, round every Stoa. */
    WRITE_ROUND
  }

  static ScriptStep ask(Vocabulary about, int who, RawRequest request) {
    return new ScriptStep(Kind.ASK, who, -1, request, 0, about);
  }

  static ScriptStep walk(Vocabulary about, int who, RawRequest request, int page) {
    return new ScriptStep(Kind.WALK, who, -1, request, page, about);
  }

  static ScriptStep abandon(Vocabulary about, int who, RawRequest request) {
    return new ScriptStep(Kind.ABANDON, who, -1, request, 0, about);
  }

  static ScriptStep pause(Vocabulary about) {
    return new ScriptStep(Kind.PAUSE, 0, -1, Requests.whoAmI(), 0, about);
  }

  /** A write; through a Stoa if its index is not negative. */
  static ScriptStep write(Vocabulary about, int who, int way, RawRequest request) {
    return new ScriptStep(
        way < 0 ? Kind.WRITE_ROUND : Kind.WRITE_THROUGH, who, way, request, 0, about);
  }

  /** True if a client may be another one afterwards. */
  boolean binds() {
    return request.tag() == BIND;
  }

  /** The same act of another identity. */
  ScriptStep as(int other) {
    return new ScriptStep(kind, other, way, request, page, vocabulary);
  }

  /** The same act for a state that has only one Stoa. */
  ScriptStep onlyThrough(int kept) {
    return kind == Kind.WRITE_THROUGH
        ? write(vocabulary, identity, way == kept ? 0 : -1, request)
        : this;
  }

  @Override
  public String toString() {
    if (kind == Kind.PAUSE) {
      return kind.toString();
    }
    String there =
        switch (kind) {
          case WRITE_THROUGH -> kind + " " + way;
          case WALK -> kind + " by " + page;
          default -> kind.toString();
        };
    return there + " as " + identity + ": " + RawMessage.parse(request.encode(1)).decoded();
  }
}
