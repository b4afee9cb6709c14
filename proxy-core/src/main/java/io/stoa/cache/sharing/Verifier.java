// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.MismatchInvestigation.Verdict;
import io.stoa.cache.sharing.VerifiableHit.Hit;
import io.stoa.cache.sharing.VerifiableHit.Said;
import io.stoa.ldap.protocol.LdapProtocolException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks whether the members of declared classes are given what they would be given upstream. Some
 * hits are asked again as the client, after it has its answer. If that says something else, the
 * member has what is stored for it to itself at once, until it is known whether that was a matter
 * of time ({@link MismatchInvestigation}); if it was not, the class is demoted. Thread-safe.
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
  private final Consumer<SharingClassState> renewed;
  private final IntPredicate chance;
  private final LongSupplier clock;
  private volatile long settleNanos = TimeUnit.SECONDS.toNanos(1);
  private volatile Supplier<Duration> patience = () -> PATIENCE;

  /**
   * Makes one.
   *
   * @param oneIn one of so many hits is verified, on average
   * @param renewed has nobody be given again what the members of a class share
   * @param chance whether a hit is one of so many
   */
  Verifier(
      int oneIn, Consumer<SharingClassState> renewed, IntPredicate chance, LongSupplier clock) {
    this.oneIn = oneIn;
    this.renewed = renewed;
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

  /** Whether a hit of the member need not be verified, or could be; none of it is still to be. */
  boolean mayShare(ClassMember member) {
    return !member.isHeld() && !member.isOwing() && (!member.onProbation() || mayBegin(member));
  }

  private boolean mayBegin(ClassMember member) {
    return free.get() > 0 && !member.declared().debts().isFull(clock.getAsLong());
  }

  /**
   * A member is given something from memory, which is compared now and then. To be called on the
   * event loop of the client.
   *
   * @param source keeps what is needed for that
   * @throws LdapProtocolException if the request is malformed
   */
  public void given(ClassMember member, VerifiableHit.Source source) throws LdapProtocolException {
    member.declared().hit();
    if (member.onProbation() || chance.test(oneIn)) {
      VerificationPermit slot = VerificationPermit.of(free);
      if (slot != null) {
        verify(member, source, slot);
      } else {
        // who keeps all of them busy is verified nevertheless
        member.owes(source.take().hit(), clock.getAsLong());
      }
    }
  }

  private void verify(ClassMember member, VerifiableHit.Source source, VerificationPermit slot)
      throws LdapProtocolException {
    boolean begun = false;
    try {
      VerifiableHit evidence = source.take();
      evidence.later(() -> ask(member, evidence, slot));
      begun = true;
    } finally {
      if (!begun) {
        slot.release();
      }
    }
  }

  private void ask(ClassMember member, VerifiableHit evidence, VerificationPermit slot) {
    boolean begun = false;
    try {
      evidence.ask(said -> told(member, evidence, slot, said));
      begun = true;
    } finally {
      if (!begun && slot.release()) {
        member.owes(evidence.hit(), clock.getAsLong());
      }
    }
  }

  private void told(
      ClassMember member, VerifiableHit evidence, VerificationPermit slot, @Nullable Said said) {
    if (!slot.release()) {
      return;
    }
    if (said == null) {
      member.owes(evidence.hit(), clock.getAsLong());
    } else {
      compared(member, evidence, said);
    }
  }

  private void compared(ClassMember member, VerifiableHit evidence, Said said) {
    boolean same = said.equals(evidence.given());
    member.declared().sampled(same);
    if (same) {
      member.agreed();
    } else if (member.differed()) {
      differed(member, evidence, said, () -> excuse(member, evidence, said));
    }
  }

  /**
   * That it has changed meanwhile explains a difference as a rule. Who deviates in what changes all
   * the time would be excused for ever: who differs often needs better proof.
   */
  private void excuse(ClassMember member, VerifiableHit evidence, Said said) {
    if (member.differsOften()) {
      unexplained(member, evidence, said);
    } else {
      evidence.awaitChange(
          settleNanos,
          changed -> {
            if (changed) {
              member.excused();
            } else {
              unexplained(member, evidence, said);
            }
          });
    }
  }

  /**
   * What a member shares was seen not to be what it is given upstream, for longer than a change may
   * be on its way. To be called on the event loop of its client.
   */
  public void doubted(ClassMember member, VerifiableHit evidence) {
    evidence.ask(
        said -> {
          boolean differs = said != null && !said.equals(evidence.given());
          if (said != null && differs && member.differed()) {
            member.declared().sampled(false);
            differed(member, evidence, said, () -> unexplained(member, evidence, said));
          }
        });
  }

  /**
   * What only the feed tells is compared with what its account is given at this moment: however
   * fast it changes, that proves whether the class is uniform.
   *
   * @param otherwise is done if that cannot be said, or is not the matter
   */
  private void differed(ClassMember member, VerifiableHit evidence, Said said, Runnable otherwise) {
    if (!evidence.isOfFeed(said)) {
      otherwise.run();
      return;
    }
    evidence.compareTwiceWithFeed(
        said,
        alike -> {
          if (alike == null) {
            otherwise.run();
          } else if (alike) {
            evidence.awaitChange(settleNanos, changed -> alike(member, evidence, said, changed));
          } else {
            evidence.forget();
            demote(member, THAN_THE_FEED);
          }
        });
  }

  /** What it was given was old; or the rights have changed, of all alike, which no feed tells. */
  private void alike(ClassMember member, VerifiableHit evidence, Said said, boolean changed) {
    if (changed && evidence.readAs(said).isEmpty()) {
      member.borneOut();
    } else if (changed && !member.differsOften()) {
      member.excused();
    } else {
      evidence.forget();
      acquit(member, evidence, said);
    }
  }

  /** No change explains it so far. All see alike in a uniform class, and the feed sees that. */
  private void unexplained(ClassMember member, VerifiableHit evidence, Said said) {
    evidence.forget();
    if (evidence.isOfFeed(said)) {
      long now = clock.getAsLong();
      MismatchInvestigation begun =
          MismatchInvestigation.ofFeed(member, evidence, said, settleNanos, now);
      note(member, withRoom(member).suspect(begun));
    } else if (member.declared().declaration().uniform()) {
      evidence.compareTwiceWithFeed(said, alike -> witnessed(member, evidence, said, alike));
    } else {
      suspect(member, evidence, said);
    }
  }

  private void witnessed(
      ClassMember member, VerifiableHit evidence, Said said, @Nullable Boolean alike) {
    if (alike == null) {
      suspect(member, evidence, said);
    } else if (alike) {
      acquit(member, evidence, said);
    } else {
      demote(member, THAN_THE_FEED);
    }
  }

  /**
   * It is given what the feed sees; those as whom that was read which it was given may see more.
   */
  private void acquit(ClassMember member, VerifiableHit evidence, Said said) {
    MismatchInvestigation own =
        MismatchInvestigation.of(member, evidence, said, settleNanos, Set.of());
    note(member, suspectReaders(own, evidence.readAs(said)));
    member.borneOut();
  }

  /** Either it is the member that deviates, or one as whom that was read which it was given. */
  private void suspect(ClassMember member, VerifiableHit evidence, Said said) {
    Set<ClassMember> readers = evidence.readAs(said);
    Set<ClassMember> witnesses = member.differsOften() ? readers : Set.of();
    MismatchInvestigation begun =
        MismatchInvestigation.of(member, evidence, said, settleNanos, witnesses);
    boolean room = withRoom(member).suspect(begun);
    note(member, suspectReaders(begun, readers) && room);
  }

  private boolean suspectReaders(MismatchInvestigation suspicion, Set<ClassMember> readers) {
    boolean room = true;
    for (ClassMember reader : readers) {
      if (!reader.person().equals(suspicion.member().person())) {
        room &= withRoom(reader).suspectReader(suspicion.of(reader));
      }
    }
    return room;
  }

  /**
   * There may be too many readers who do not come again, which proves nothing. But as long as it is
   * not known what they may see, nobody may be given what was read as them.
   */
  private SharingClassState withRoom(ClassMember member) {
    SharingClassState declared = member.declared();
    if (declared.isFull()) {
      renewed.accept(declared);
      declared.forgetUnasked();
    }
    return declared;
  }

  private void note(ClassMember member, boolean noted) {
    if (!noted) {
      demote(member, "is one of too many that were given something else");
    }
  }

  /**
   * A member asks for something: that is an occasion to ask upstream as it what could not be asked
   * before, and what a suspicion is about. To be called on the event loop of the client.
   *
   * @param asClient a hit as evidence with this client
   * @return whether it is asked what could not be asked before: if it is answered from memory, it
   *     may be gone before that is known
   */
  public boolean passing(ClassMember member, Function<Hit, VerifiableHit> asClient) {
    List<Hit> owed = member.owed(clock.getAsLong());
    for (Hit hit : owed) {
      if (member.asks(hit)) {
        askOwed(member, hit, asClient);
      }
    }
    for (MismatchInvestigation suspicion : member.declared().suspicions()) {
      if (suspicion.isOverdue(clock.getAsLong())) {
        demote(suspicion.member(), "may be given something else upstream than other members");
      } else if (suspicion.wants(member, clock.getAsLong())) {
        begin(suspicion, member, asClient);
      }
    }
    return !owed.isEmpty() && member.isAsked();
  }

  /** At once, before what it asks for now: it may be gone again as soon as it has that. */
  private void askOwed(ClassMember member, Hit hit, Function<Hit, VerifiableHit> asClient) {
    boolean begun = false;
    try {
      VerifiableHit own = asClient.apply(hit);
      own.ask(said -> heard(member, hit, own, said));
      begun = true;
    } finally {
      if (!begun) {
        member.owes(hit, clock.getAsLong());
      }
    }
  }

  private void heard(ClassMember member, Hit hit, VerifiableHit own, @Nullable Said said) {
    member.owes(hit, clock.getAsLong());
    if (said != null) {
      compared(member, own, said);
      member.answered(hit);
    }
  }

  private void begin(
      MismatchInvestigation suspicion, ClassMember who, Function<Hit, VerifiableHit> asClient) {
    boolean begun = false;
    try {
      VerifiableHit own = asClient.apply(suspicion.hit());
      own.later(() -> ask(suspicion, who, own));
      begun = true;
    } finally {
      if (!begun) {
        suspicion.heard(who, null, clock.getAsLong());
      }
    }
  }

  private void ask(MismatchInvestigation suspicion, ClassMember who, VerifiableHit own) {
    boolean begun = false;
    try {
      own.ask(said -> heard(suspicion, who, own, said));
      begun = true;
    } finally {
      if (!begun) {
        suspicion.heard(who, null, clock.getAsLong());
      }
    }
  }

  /** Before the feed is taken to tell more, its account is asked as well: rights may be others. */
  private void heard(
      MismatchInvestigation suspicion, ClassMember who, VerifiableHit own, @Nullable Said said) {
    Verdict verdict = suspicion.heard(who, said, clock.getAsLong());
    if (said != null && verdict == Verdict.DEVIATES && suspicion.isOfFeed()) {
      own.compareTwiceWithFeed(
          said,
          alike ->
              judge(suspicion, Boolean.TRUE.equals(alike) ? Verdict.EXPLAINED : Verdict.DEVIATES));
    } else {
      judge(suspicion, verdict);
    }
  }

  private void judge(MismatchInvestigation suspicion, Verdict verdict) {
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

  private void demote(ClassMember member, String why) {
    SharingClassState declared = member.declared();
    if (declared.demote()) {
      LOG.warn(
          "access class {} is demoted until it is restored, and its members share nothing now:"
              + " {} {}",
          declared.declaration().name(),
          member.printableName(),
          why);
      renewed.accept(declared);
    }
  }
}
