// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.Octets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What one client is told upstream, in that order; the last of it again and again. Not thread-safe.
 */
class ScriptedHit implements VerifiableHit, VerifiableHit.Hit {
  final Deque<ComparableAnswer> answers = new ArrayDeque<>();
  boolean forgotten;
  Consumer<ComparableAnswer> waiting;
  boolean silent;
  ComparableAnswer given = answer(0);
  Set<ClassMember> readers = Set.of();
  boolean ofFeed;
  Boolean alike;

  /** What is said of that before it is {@link #alike}. */
  List<Boolean> atFirst = List.of();

  int compared;

  static ComparableAnswer answer(int code) {
    return new ComparableAnswer(new ResponseContents(code, Map.of(), 0), Octets.EMPTY);
  }

  ScriptedHit(int... codes) {
    for (int code : codes) {
      answers.add(answer(code));
    }
  }

  @Override
  public ComparableAnswer servedAnswer() {
    return given;
  }

  @Override
  public Hit hit() {
    return this;
  }

  @Override
  public void executeLater(Runnable action) {
    action.run();
  }

  @Override
  public void askUpstream(Consumer<ComparableAnswer> receiver) {
    if (silent) {
      waiting = receiver;
    } else {
      receiver.accept(answers.size() > 1 ? answers.poll() : answers.peek());
    }
  }

  @Override
  public Set<ClassMember> differingReaders(ComparableAnswer told) {
    return readers;
  }

  @Override
  public boolean isFeedOnly(ComparableAnswer told) {
    return ofFeed;
  }

  @Override
  public void compareWithFeed(ComparableAnswer told, Consumer<Boolean> heard) {
    heard.accept(compared++ < atFirst.size() ? atFirst.get(compared - 1) : alike);
  }

  @Override
  public void dropAnswer() {
    forgotten = true;
  }
}
