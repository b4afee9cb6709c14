// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.VisibilityVerifier.SeenEntry;
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
  private static final int MAX_ENTRIES = 100;

  /**
   * Maximum pause between two searches, in halves of the settle time: 4. The first pause is one
   * half, so that the response arrives before the settle time is over.
   */
  private static final int MAX_PAUSE_HALVES = 4;

  private static final int MAX_ROUNDS = 30;

  private final DomainContext context;
  private final long halfNanos;
  private final FeedEpoch epoch;
  private boolean underWay;
  private int round;

  CommitWatch(DomainConfig config, DomainContext context, FeedEpoch epoch) {
    this.context = context;
    this.halfNanos = config.settle().toNanos() / 2;
    this.epoch = epoch;
  }

  /** Starts asking if a reported change may not be shown yet. */
  void watch() {
    if (!underWay && epoch.commits().isOpen()) {
      underWay = true;
      round = 0;
      await();
    }
  }

  /** Starts again for changes from before the feed began or resumed. */
  void restart() {
    round = 0;
    watch();
  }

  private void await() {
    long pause = halfNanos * Math.min(round + 1, MAX_PAUSE_HALVES);
    context.executor().schedule(this::send, pause, TimeUnit.NANOSECONDS);
  }

  private void send() {
    long now = context.clock().getAsLong();
    epoch.commits().expire(now);
    if (epoch.viewState().isOver() || !epoch.commits().isOpen()) {
      underWay = false;
      return;
    }
    List<Witness> witnesses = epoch.commits().witnesses(Math.min(1 << round, MAX_ENTRIES));
    List<Csn> marks = Integer.bitCount(round) <= 1 ? epoch.commits().marks() : List.of();
    round = Math.min(round + 1, MAX_ROUNDS);
    if (witnesses.isEmpty() && marks.isEmpty()) {
      await();
    } else {
      ask(witnesses, marks, now);
    }
  }

  private void ask(List<Witness> witnesses, List<Csn> marks, long now) {
    List<Uuid> uuids = witnesses.stream().map(Witness::uuid).distinct().toList();
    context
        .reader()
        .search(
            epoch.visibilityVerifier().stateSearch(uuids, marks),
            found ->
                epoch
                    .visibilityVerifier()
                    .onDomainThread(
                        () -> onAnswer(witnesses, epoch.visibilityVerifier().seen(found), now)),
            why -> epoch.visibilityVerifier().onDomainThread(this::await));
  }

  private void onAnswer(List<Witness> witnesses, Map<Uuid, SeenEntry> seen, long askedNanos) {
    CommitTracker commits = epoch.commits();
    long before = commits.settled(askedNanos);
    seen.values().stream()
        .map(SeenEntry::state)
        .forEach(
            state -> {
              if (state != null) {
                commits.onShown(state, askedNanos);
              }
            });
    List<Witness> missing =
        witnesses.stream().filter(one -> !seen.containsKey(one.uuid())).toList();
    commits.onGone(missing, askedNanos);
    round = commits.settled(askedNanos) == before ? round : 0;
    await();
  }
}
