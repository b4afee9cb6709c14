// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.VisibilityVerifier.Seen;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.feed.transaction.CommitTracker.Witness;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Asks the feed's server whether it shows the changes that it reported last, while that is not
 * known. A server may report a change of a transaction before the commit. The first search is for
 * the last entry alone, which is shown unless it is in a transaction. Later ones ask for more
 * entries, less and less often.
 *
 * <p>Threading: confined to the domain's thread.
 */
final class CommitWatch {
  private static final int MOST_ENTRIES = 100;

  /**
   * Maximum pause between two searches, in halves of the settle time: 4. The first pause is one
   * half, so that the response arrives before the settle time is over.
   */
  private static final int MOST_HALVES = 4;

  private static final int MOST_ROUNDS = 30;

  private final DomainContext ties;
  private final long halfNanos;
  private final FeedEpoch run;
  private boolean underWay;
  private int round;

  CommitWatch(RealmConfig config, DomainContext ties, FeedEpoch run) {
    this.ties = ties;
    this.halfNanos = config.settle().toNanos() / 2;
    this.run = run;
  }

  /** Starts asking if a reported change may not be shown yet. */
  void watch() {
    if (!underWay && run.commits().isOpen()) {
      underWay = true;
      round = 0;
      await();
    }
  }

  /** Starts again for changes from before the feed began or resumed. */
  void begun() {
    round = 0;
    watch();
  }

  private void await() {
    long pause = halfNanos * Math.min(round + 1, MOST_HALVES);
    ties.own().schedule(this::send, pause, TimeUnit.NANOSECONDS);
  }

  private void send() {
    long now = ties.clock().getAsLong();
    run.commits().expire(now);
    if (run.terms().areOver() || !run.commits().isOpen()) {
      underWay = false;
      return;
    }
    List<Witness> witnesses = run.commits().witnesses(Math.min(1 << round, MOST_ENTRIES));
    List<Csn> marks = Integer.bitCount(round) <= 1 ? run.commits().marks() : List.of();
    round = Math.min(round + 1, MOST_ROUNDS);
    if (witnesses.isEmpty() && marks.isEmpty()) {
      await();
    } else {
      ask(witnesses, marks, now);
    }
  }

  private void ask(List<Witness> witnesses, List<Csn> marks, long now) {
    List<Uuid> uuids = witnesses.stream().map(Witness::uuid).distinct().toList();
    ties.reader()
        .search(
            run.confirmer().question(uuids, marks),
            found ->
                run.confirmer().back(() -> answered(witnesses, run.confirmer().seen(found), now)),
            why -> run.confirmer().back(this::await));
  }

  private void answered(List<Witness> asked, Map<Uuid, Seen> seen, long askedNanos) {
    CommitTracker commits = run.commits();
    long before = commits.settled(askedNanos);
    seen.values().stream()
        .map(Seen::state)
        .forEach(
            state -> {
              if (state != null) {
                commits.shown(state, askedNanos);
              }
            });
    List<Witness> missing = asked.stream().filter(one -> !seen.containsKey(one.uuid())).toList();
    commits.gone(missing, askedNanos);
    round = commits.settled(askedNanos) == before ? round : 0;
    await();
  }
}
