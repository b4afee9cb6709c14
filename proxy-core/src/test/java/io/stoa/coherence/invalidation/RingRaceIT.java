// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.ChangeRing.ReadSummary;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.MemoryFences;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.ReadSource;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two threads at once: of a change and a read that do not know of each other, one sees the other.
 */
@Tag("alone")
class RingRaceIT {
  private static final int ROUNDS = 100_000;
  private static final int FILLS = 20_000;
  private static final String ANN = "cn=ann,dc=x";
  private static final Query QUERY = query(ANN, 0, "(objectClass=*)");
  private static final ReadSummary READING =
      new ReadSummary(QUERY, Map.of(uuid(1), dn(ANN)), false, upTo(0), Long.MAX_VALUE / 2);
  private static final Bounds BOUNDS =
      new Bounds(Duration.ofHours(1), 100, Duration.ofHours(1), 1 << 24);

  /** One meeting of the two. Thread-safe. */
  private static final class Meeting {
    private final ChangeRing ring = new ChangeRing(BOUNDS, CONTEXT, upTo(0), gone -> {});

    /** Stands for the index; written and read no more strictly than that. */
    private final AtomicBoolean registered = new AtomicBoolean();

    boolean applied(Change change) {
      ring.append(change, 0);
      MemoryFences.fullFence();
      return registered.getAcquire();
    }

    boolean filled() {
      registered.setRelease(true);
      MemoryFences.fullFence();
      return !ring.relevantTo(READING).isEmpty();
    }
  }

  @Test
  void aConcurrentChangeOrReadSeesTheOther() throws Exception {
    Change change = modified(1, person(ANN, "New"), 1);
    AtomicReference<Meeting> meeting = new AtomicReference<>(new Meeting());
    AtomicBoolean applied = new AtomicBoolean();
    AtomicBoolean filled = new AtomicBoolean();
    AtomicInteger missed = new AtomicInteger();
    Rounds.run(
        ROUNDS,
        () -> meeting.set(new Meeting()),
        () -> applied.setPlain(meeting.get().applied(change)),
        () -> filled.setPlain(meeting.get().filled()),
        () -> missed.addAndGet(applied.get() || filled.get() ? 0 : 1));
    assertThat(missed).hasValue(0);
  }

  @Test
  void noViewOlderThanAnAppliedChangeIsKept() throws Exception {
    SteppedExecutor own = new SteppedExecutor();
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            RingRaceIT::name,
            type -> false,
            DomainConfig.SETTLE,
            BOUNDS,
            0,
            () -> false,
            FeedKind.SYNCREPL,
            now -> now);
    DomainContext context =
        new DomainContext(
            own,
            () -> 0,
            new FreshnessGuarantee(now -> true, null, null),
            done -> {},
            (search, found, failed) -> {});
    AtomicReference<FeedEpoch> run = new AtomicReference<>();
    AtomicReference<ReadStart> opening = new AtomicReference<>();
    AtomicReference<@Nullable View> kept = new AtomicReference<>();
    AtomicInteger stale = new AtomicInteger();
    Change change = modified(1, person(ANN, "New"), 2);
    FillAdmission fills = new FillAdmission(FeedKind.SYNCREPL);
    ReadResult old =
        new ReadResult(
            false, List.of(new ReadResult.Shown(uuid(1), csn(1), name(octets(ANN)), octets(ANN))));
    Rounds.run(
        FILLS,
        () -> {
          run.set(new FeedEpoch(config, context, new DomainCounters(), upTo(1)));
          opening.set(
              new ReadStart(
                  QUERY, octets(ANN), (view, why) -> {}, run.get(), null, upTo(1), 0, -1));
        },
        () -> run.get().applier().apply(change, false, null, 0),
        () ->
            kept.set(
                fills.admit(opening.get(), old, new ReadSource(context, upTo(1), 0, 0)).view()),
        () -> {
          View view = kept.get();
          stale.addAndGet(view == null || view.isInvalid() ? 0 : 1);
        });
    assertThat(stale).hasValue(0);
  }

  private static NormalDn name(byte[] octets) {
    return NormalDn.of(octets, SmallDirectory.PROFILE);
  }

  /** Lets two threads begin each round as nearly at once as they can. Thread-safe. */
  private static final class Rounds {
    private static final int SPINS = 2_000;

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final Runnable second;
    private final int count;

    private Rounds(int count, Runnable second) {
      this.count = count;
      this.second = second;
    }

    static void run(int count, Runnable before, Runnable one, Runnable other, Runnable after)
        throws InterruptedException {
      Rounds rounds = new Rounds(count, other);
      Thread thread = new Thread(rounds::follow);
      thread.start();
      for (int round = 1; round <= count; round++) {
        before.run();
        rounds.begun.set(round);
        jitter();
        one.run();
        await(rounds.ended, round);
        after.run();
      }
      thread.join();
    }

    private void follow() {
      for (int round = 1; round <= count; round++) {
        await(begun, round);
        jitter();
        try {
          second.run();
        } finally {
          ended.set(round);
        }
      }
    }

    private static void await(AtomicInteger reached, int round) {
      for (int spins = 0; reached.get() < round; spins++) {
        if (spins < SPINS) {
          Thread.onSpinWait();
        } else {
          LockSupport.parkNanos(1);
        }
      }
    }

    private static void jitter() {
      for (int i = ThreadLocalRandom.current().nextInt(32); i > 0; i--) {
        Thread.onSpinWait();
      }
    }
  }
}
