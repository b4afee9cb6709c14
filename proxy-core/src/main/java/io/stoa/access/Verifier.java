// SPDX-License-Identifier: Apache-2.0
package io.stoa.access;

import io.stoa.access.Evidence.Said;
import io.stoa.access.Suspicion.Verdict;
import io.stoa.ldap.LdapProtocolException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether the members of declared classes are given what they would be given upstream. Some
 * hits are asked again as the client, after it has its answer. If that says something else, the
 * member has what is stored for it to itself at once, until it is known whether that was a matter
 * of time ({@link Suspicion}); if it was not, the class is demoted. Thread-safe.
 */
public final class Verifier {
  private static final Logger LOG = LoggerFactory.getLogger(Verifier.class);

  /** So many hits are asked again at once. */
  static final int SLOTS = 16;

  private static final String THAN_THE_FEED =
      "is given something else upstream than the feed tells";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final AtomicInteger free = new AtomicInteger(SLOTS);
  private final int oneIn;
  private final Consumer<Declared> demoted;
  private final IntPredicate chance;
  private final LongSupplier clock;
  private volatile long settleNanos = TimeUnit.SECONDS.toNanos(1);
  private volatile Supplier<Duration> patience = () -> PATIENCE;

  Verifier(int oneIn, Consumer<Declared> demoted) {
    this(oneIn, demoted, n -> ThreadLocalRandom.current().nextInt(n) == 0, System::nanoTime);
  }

  /**
   * Makes one.
   *
   * @param oneIn one of so many hits is verified, on average
   * @param demoted hears of a class whose members share nothing any more
   * @param chance whether a hit is one of so many
   */
  Verifier(int oneIn, Consumer<Declared> demoted, IntPredicate chance, LongSupplier clock) {
    this.oneIn = oneIn;
    this.demoted = demoted;
    this.chance = chance;
    this.clock = clock;
  }

  /** How far servers may be behind one another without a member being suspected for it. */
  public void settle(Duration time) {
    settleNanos = time.toNanos();
  }

  /** A server that says nothing for longer keeps nobody else from being verified. */
  public void patience(Supplier<Duration> time) {
    patience = time;
  }

  /** How long it is waited for an answer upstream. */
  public Duration patience() {
    return patience.get();
  }

  /** Whether a hit of the member need not be verified, or could be. */
  boolean mayShare(Member member) {
    return !member.isHeld()
        && (!member.onProbation() || (free.get() > 0 && member.isAnswered(clock.getAsLong())));
  }

  /**
   * A member is given something from memory, which is compared now and then. To be called on the
   * event loop of the client.
   *
   * @param source keeps what is needed for that
   * @throws LdapProtocolException if the request is malformed
   */
  public void given(Member member, Evidence.Source source) throws LdapProtocolException {
    member.declared().hit();
    if (member.onProbation() || chance.test(oneIn)) {
      Slot slot = Slot.of(free);
      if (slot != null) {
        verify(member, source, slot);
      }
    }
  }

  private void verify(Member member, Evidence.Source source, Slot slot)
      throws LdapProtocolException {
    boolean begun = false;
    try {
      Evidence evidence = source.take();
      evidence.later(() -> ask(member, evidence, slot));
      begun = true;
    } finally {
      if (!begun) {
        slot.release();
      }
    }
  }

  private void ask(Member member, Evidence evidence, Slot slot) {
    boolean begun = false;
    try {
      evidence.ask(said -> told(member, evidence, slot, said));
      begun = true;
    } finally {
      if (!begun && slot.release()) {
        member.unanswered(clock.getAsLong());
      }
    }
  }

  private void told(Member member, Evidence evidence, Slot slot, @Nullable Said said) {
    if (!slot.release()) {
      return;
    }
    if (said == null) {
      member.unanswered(clock.getAsLong());
    } else {
      compared(member, evidence, said);
    }
  }

  /** The right to ask one hit again, which is given back once, however that ends. Thread-safe. */
  private record Slot(AtomicInteger free, AtomicBoolean taken) {
    /** Takes one; null if there is none. */
    static @Nullable Slot of(AtomicInteger free) {
      return free.getAndUpdate(left -> Math.max(0, left - 1)) > 0
          ? new Slot(free, new AtomicBoolean(true))
          : null;
    }

    /** Whether it was not given back before. */
    boolean release() {
      boolean first = taken.compareAndSet(true, false);
      if (first) {
        free.incrementAndGet();
      }
      return first;
    }
  }

  private void compared(Member member, Evidence evidence, Said said) {
    boolean same = said.equals(evidence.given());
    member.declared().sampled(same);
    if (same) {
      member.agreed();
    } else if (member.differed()) {
      if (member.differsOften()) {
        evidence.forget();
        demote(member, "was given something else too often");
      } else {
        differed(
            member,
            evidence,
            said,
            () ->
                evidence.awaitChange(
                    settleNanos, changed -> differed(member, evidence, said, changed)));
      }
    }
  }

  /**
   * What a member shares was seen not to be what it is given upstream, for longer than a change may
   * be on its way. To be called on the event loop of its client.
   */
  public void doubted(Member member, Evidence evidence) {
    evidence.ask(
        said -> {
          boolean differs = said != null && !said.equals(evidence.given());
          if (said != null && differs && member.differed()) {
            member.declared().sampled(false);
            differed(member, evidence, said, () -> differed(member, evidence, said, false));
          }
        });
  }

  /**
   * What only the feed tells is compared with what its account is given at this moment: however
   * fast it changes, that proves whether the class is uniform.
   *
   * @param otherwise is done if that cannot be said, or is not the matter
   */
  private void differed(Member member, Evidence evidence, Said said, Runnable otherwise) {
    if (!evidence.isOfFeed(said)) {
      otherwise.run();
      return;
    }
    evidence.compareWithFeed(
        said,
        alike -> {
          if (alike == null) {
            otherwise.run();
          } else if (alike) {
            evidence.awaitChange(settleNanos, changed -> alike(member, evidence, changed));
          } else {
            evidence.forget();
            demote(member, THAN_THE_FEED);
          }
        });
  }

  /** What it was given was old; or the rights have changed, of all alike, which no feed tells. */
  private static void alike(Member member, Evidence evidence, boolean changed) {
    if (!changed) {
      evidence.forget();
    }
    member.borneOut();
  }

  /** What the feed tells of has become of it between the two answers; else it is suspicious. */
  private void differed(Member member, Evidence evidence, Said said, boolean changed) {
    if (changed) {
      member.excused();
    } else {
      evidence.forget();
      boolean noted =
          evidence.isOfFeed(said)
              ? member
                  .declared()
                  .suspect(Suspicion.ofFeed(member, evidence, said, settleNanos, clock.getAsLong()))
              : suspect(Suspicion.of(member, evidence, said, settleNanos), evidence.readAs(said));
      if (!noted) {
        demote(member, "is one of too many that were given something else");
      }
    }
  }

  /** Either it is the member that deviates, or one as whom that was read which it was given. */
  private static boolean suspect(Suspicion suspicion, Set<Member> readers) {
    Member member = suspicion.member();
    Declared declared = member.declared();
    boolean room = declared.suspect(suspicion);
    for (Member reader : readers) {
      if (!reader.identity().equals(member.identity())) {
        room &= declared.suspectReader(suspicion.of(reader));
      }
    }
    return room;
  }

  /**
   * A member asks for something: that is an occasion to ask upstream as it what a suspicion is
   * about. To be called on the event loop of the client.
   *
   * @param asClient the same evidence with this client
   */
  public void passing(Member member, UnaryOperator<Evidence> asClient) {
    for (Suspicion suspicion : member.declared().suspicions()) {
      if (suspicion.isOverdue(clock.getAsLong())) {
        demote(suspicion.member(), "may be given something else upstream than other members");
      } else if (suspicion.wants(member, clock.getAsLong())) {
        begin(suspicion, member, asClient);
      }
    }
  }

  private void begin(Suspicion suspicion, Member who, UnaryOperator<Evidence> asClient) {
    boolean begun = false;
    try {
      Evidence own = asClient.apply(suspicion.evidence());
      own.later(() -> ask(suspicion, who, own));
      begun = true;
    } finally {
      if (!begun) {
        suspicion.heard(who, null, clock.getAsLong());
      }
    }
  }

  private void ask(Suspicion suspicion, Member who, Evidence own) {
    boolean begun = false;
    try {
      own.ask(said -> judge(suspicion, suspicion.heard(who, said, clock.getAsLong())));
      begun = true;
    } finally {
      if (!begun) {
        suspicion.heard(who, null, clock.getAsLong());
      }
    }
  }

  private void judge(Suspicion suspicion, Verdict verdict) {
    if (verdict == Verdict.EXPLAINED) {
      if (suspicion.member().declared().explained(suspicion)) {
        suspicion.member().released();
      }
    } else if (verdict == Verdict.DEVIATES) {
      demote(
          suspicion.member(),
          suspicion.isOfFeed()
              ? THAN_THE_FEED
              : "is given something else upstream than another member");
    }
  }

  private void demote(Member member, String why) {
    Declared declared = member.declared();
    if (declared.demote()) {
      LOG.warn(
          "access class {} is demoted until it is restored, and its members share nothing now:"
              + " {} {}",
          declared.declaration().name(),
          member.printableName(),
          why);
      demoted.accept(declared);
    }
  }
}
