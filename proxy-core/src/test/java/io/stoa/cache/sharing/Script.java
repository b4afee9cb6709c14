// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.Answers;
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
class Script implements VerifiableHit, VerifiableHit.Hit {
  final Deque<Said> answers = new ArrayDeque<>();
  boolean forgotten;
  Consumer<Said> waiting;
  boolean silent;
  boolean changed;
  Said given = said(0);
  Set<ClassMember> readers = Set.of();
  boolean ofFeed;
  Boolean alike;

  /** What is said of that before it is {@link #alike}. */
  List<Boolean> atFirst = List.of();

  int compared;

  static Said said(int code) {
    return new Said(new Answers(code, Map.of(), 0), Octets.EMPTY);
  }

  Script(int... codes) {
    for (int code : codes) {
      answers.add(said(code));
    }
  }

  @Override
  public Said given() {
    return given;
  }

  @Override
  public Hit hit() {
    return this;
  }

  @Override
  public void later(Runnable action) {
    action.run();
  }

  @Override
  public void ask(Consumer<Said> told) {
    if (silent) {
      waiting = told;
    } else {
      told.accept(answers.size() > 1 ? answers.poll() : answers.peek());
    }
  }

  @Override
  public void awaitChange(long nanos, Consumer<Boolean> told) {
    assertThat(nanos).isEqualTo(VerifierTest.SETTLE.toNanos());
    told.accept(changed);
  }

  @Override
  public Set<ClassMember> readAs(Said told) {
    return readers;
  }

  @Override
  public boolean isOfFeed(Said told) {
    return ofFeed;
  }

  @Override
  public void compareWithFeed(Said told, Consumer<Boolean> heard) {
    heard.accept(compared++ < atFirst.size() ? atFirst.get(compared - 1) : alike);
  }

  @Override
  public void forget() {
    forgotten = true;
  }
}
