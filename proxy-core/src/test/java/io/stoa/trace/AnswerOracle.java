// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.regex.Pattern;

/**
 * What the directory itself answers to every question in every of its states, and the judge of
 * answers that came through Stoa: each must be of a state that it may show. Thread-safe.
 */
final class AnswerOracle implements Trace.Witness {
  /** A request in which one of these is found is about a person. */
  private static final Pattern PERSON =
      Pattern.compile("user\\.\\d|User \\d|\\D1\\d{3}\\D|5eed0000-");

  /** Tags and lengths of an attribute and of its name. */
  private static final String FIRST = "namingContexts";

  private static final int ATTRIBUTE_HEADER = 6;

  private static final long KEPT_NANOS = Duration.ofMinutes(1).toNanos();

  private final ReadWriteLock states = new ReentrantReadWriteLock();
  private final Map<TracedRequest, Known> known = new ConcurrentHashMap<>();
  private final AtomicLong undecided = new AtomicLong();
  private final WriteTimeline writes;
  private final DirectClients direct;

  AnswerOracle(WriteTimeline writes, DirectClients direct) {
    this.writes = writes;
    this.direct = direct;
  }

  /** The answer to one question from a state on. */
  private record Version(int state, List<String> parts, long since) {}

  /** The answers to one question. Thread-safe. */
  private static final class Known {
    final boolean general;
    private final Deque<Version> versions = new ArrayDeque<>();

    Known(TracedRequest question, Version first) {
      this.general = !PERSON.matcher(question.op()).find();
      versions.add(first);
    }

    synchronized Version latest() {
      return versions.getLast();
    }

    synchronized void add(Version version) {
      if (!versions.getLast().parts().equals(version.parts())) {
        versions.add(version);
      }
      while (versions.size() > 2 && version.since() - versions.getFirst().since() > KEPT_NANOS) {
        versions.removeFirst();
      }
    }

    /** Whether it was known in the first of these states. */
    synchronized boolean since(WriteTimeline.States allowed) {
      return versions.getFirst().state() <= allowed.first();
    }

    synchronized boolean is(WriteTimeline.States allowed, int part, String answer) {
      int until = Integer.MAX_VALUE;
      var newestFirst = versions.descendingIterator();
      while (newestFirst.hasNext() && until > allowed.first()) {
        Version version = newestFirst.next();
        boolean shown = version.state() <= allowed.last();
        if (shown && part < version.parts().size() && version.parts().get(part).equals(answer)) {
          return true;
        }
        until = version.state();
      }
      return false;
    }
  }

  @Override
  public void asks(TracedRequest question) {
    if (!known.containsKey(question)) {
      states.readLock().lock();
      try {
        known.computeIfAbsent(question, q -> new Known(q, now(q)));
      } finally {
        states.readLock().unlock();
      }
    }
  }

  private Version now(TracedRequest question) {
    return new Version(writes.count(), direct.ask(question), System.nanoTime());
  }

  @Override
  public void answered(TracedRequest question, int part, long sent, String answer) {
    WriteTimeline.States allowed = writes.between(sent, System.nanoTime());
    if (!known.get(question).is(allowed, part, answer)) {
      settle(question, part, answer, allowed);
    }
  }

  /** Judges when the state that is being made is known. */
  private void settle(
      TracedRequest question, int part, String answer, WriteTimeline.States allowed) {
    Known answers = known.get(question);
    states.readLock().lock();
    try {
      if (!answers.is(allowed, part, answer) && !isRootDse(question, answers, answer)) {
        refuse(question, answer, allowed);
      }
    } finally {
      states.readLock().unlock();
    }
  }

  /**
   * slapd makes a wrong list of mechanisms, or none, when it is asked twice at once over one
   * connection: its library for SASL has one buffer for each. What it says before is as good as
   * any.
   */
  private static boolean isRootDse(TracedRequest question, Known answers, String answer) {
    String latest = answers.latest().parts().get(0);
    int begin = Math.max(0, latest.indexOf(FIRST));
    int end = Math.max(begin, latest.indexOf("supportedSASLMechanisms") - ATTRIBUTE_HEADER);
    return question.isRootDse()
        && answer.startsWith(latest.substring(begin, end), answer.indexOf(FIRST));
  }

  /** An answer of before the question was first asked, for somebody who asked it otherwise. */
  private void refuse(TracedRequest question, String answer, WriteTimeline.States allowed) {
    Known answers = known.get(question);
    if (answers.since(allowed)) {
      throw new AssertionError(
          "%s got for %s%n%s%nwhich is none of states %s; the directory says%n%s"
              .formatted(question.identity(), question, answer, allowed, answers.latest().parts()));
    }
    undecided.incrementAndGet();
  }

  /** Answers whose state could not be told. */
  long undecided() {
    return undecided.get();
  }

  int questions() {
    return known.size();
  }

  /** Changes the directory, and asks it anew what the change may have changed. */
  void change(TracedWrite change, boolean behind) {
    states.writeLock().lock();
    try {
      writes.begin(behind);
      direct.change(change.request(), behind);
      writes.end();
      known.forEach((question, answers) -> renew(change, question, answers));
    } finally {
      states.writeLock().unlock();
    }
  }

  private void renew(TracedWrite change, TracedRequest question, Known answers) {
    boolean maybe = answers.general || change.concerns(question, answers.latest().parts());
    if (maybe && !question.isBind()) {
      answers.add(now(question));
    }
  }

  /** What is known is all that the directory has to say: nothing was changed unseen. */
  void check() {
    known.forEach(
        (question, answers) ->
            assertThat(direct.ask(question))
                .as("%s", question)
                .isEqualTo(answers.latest().parts()));
  }
}
