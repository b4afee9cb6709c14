// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.MismatchInvestigation.Verdict;
import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.cache.sharing.VerifiableHit.Hit;
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
 * Verifies that the members of sharing classes are served what upstream would answer them.
 *
 * <ol>
 *   <li>A sample of hits is sent upstream as the client, after the client has its answer.
 *   <li>A member whose hit differs is held back from sharing at once.
 *   <li>The member shares again if a change explains the mismatch ({@link MismatchInvestigation}).
 *       Otherwise the class is demoted.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class Verifier {
  private static final Logger LOG = LoggerFactory.getLogger(Verifier.class);

  /** Maximum number of concurrent verifications: 16. */
  static final int MAX_CONCURRENT = 16;

  private static final String THAN_THE_FEED =
      "gets other values upstream than the account of the feed";

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final AtomicInteger free = new AtomicInteger(MAX_CONCURRENT);
  private final int oneIn;
  private final Consumer<SharingClassState> renewed;
  private final IntPredicate chance;
  private final LongSupplier clock;
  private volatile long maxLagNanos = TimeUnit.SECONDS.toNanos(1);
  private volatile Supplier<Duration> timeout = () -> PATIENCE;

  /**
   * Creates a verifier.
   *
   * @param oneIn one hit out of this number is verified, on average
   * @param renewed invalidates the shared results of a class
   * @param chance true with a probability of one in its argument
   */
  Verifier(
      int oneIn, Consumer<SharingClassState> renewed, IntPredicate chance, LongSupplier clock) {
    this.oneIn = oneIn;
    this.renewed = renewed;
    this.chance = chance;
    this.clock = clock;
  }

  /** Sets the time by which servers may lag behind one another without a mismatch. */
  public void maxLag(Duration time) {
    maxLagNanos = time.toNanos();
  }

  /** Sets the timeout of a verification, after which a silent server no longer holds its permit. */
  public void timeout(Supplier<Duration> time) {
    timeout = time;
  }

  /** Returns the timeout of a verification. */
  public Duration timeout() {
    return timeout.get();
  }

  /**
   * True if the member may share now. A member that is held back or has pending verifications may
   * not. While it is on probation, a verification must be able to begin.
   */
  boolean mayShare(ClassMember member) {
    return !member.isHeld()
        && !member.hasPending()
        && (!member.isOnProbation() || mayBegin(member));
  }

  private boolean mayBegin(ClassMember member) {
    return free.get() > 0 && !member.classState().pendingVerifications().isFull(clock.getAsLong());
  }

  /**
   * Called on the client's event loop for each hit of a member. Verifies a sample of the hits.
   *
   * @param source copies the data needed for a verification
   */
  public void onHit(ClassMember member, VerifiableHit.HitSource source) {
    member.classState().countHit();
    if (member.isOnProbation() || chance.test(oneIn)) {
      VerificationPermit slot = VerificationPermit.of(free);
      if (slot != null) {
        verify(member, source, slot);
      } else {
        // all permits are busy: the hit is verified later
        member.addPending(source.copy().hit(), clock.getAsLong());
      }
    }
  }

  private void verify(ClassMember member, VerifiableHit.HitSource source, VerificationPermit slot) {
    boolean begun = false;
    try {
      VerifiableHit evidence = source.copy();
      evidence.executeLater(() -> ask(member, evidence, slot));
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
      evidence.askUpstream(said -> onAnswer(member, evidence, slot, said));
      begun = true;
    } finally {
      if (!begun && slot.release()) {
        member.addPending(evidence.hit(), clock.getAsLong());
      }
    }
  }

  private void onAnswer(
      ClassMember member,
      VerifiableHit evidence,
      VerificationPermit slot,
      @Nullable ComparableAnswer said) {
    if (!slot.release()) {
      return;
    }
    if (said == null) {
      member.addPending(evidence.hit(), clock.getAsLong());
    } else {
      compared(member, evidence, said);
    }
  }

  private void compared(ClassMember member, VerifiableHit evidence, ComparableAnswer said) {
    boolean same = said.equals(evidence.servedAnswer());
    member.classState().countVerification(same);
    if (same) {
      member.onAgreement();
    } else if (member.onMismatch()) {
      differed(member, evidence, said, () -> excuse(member, evidence, said));
    }
  }

  /**
   * Waits for a change that explains the mismatch. A member that differs often needs better proof.
   * Otherwise a deviation in frequently changed data would be excused for ever.
   */
  private void excuse(ClassMember member, VerifiableHit evidence, ComparableAnswer said) {
    if (member.differsOften()) {
      unexplained(member, evidence, said);
    } else {
      evidence.awaitChange(
          maxLagNanos,
          changed -> {
            if (changed) {
              member.onExcused();
            } else {
              unexplained(member, evidence, said);
            }
          });
    }
  }

  /**
   * Called on the client's event loop when an audit found a mismatch that lasted longer than a
   * change can be delayed.
   */
  public void onAuditMismatch(ClassMember member, VerifiableHit evidence) {
    evidence.askUpstream(
        said -> {
          boolean differs = said != null && !said.equals(evidence.servedAnswer());
          if (said != null && differs && member.onMismatch()) {
            member.classState().countVerification(false);
            differed(member, evidence, said, () -> unexplained(member, evidence, said));
          }
        });
  }

  /**
   * Compares a state that only the feed had reported with the feed account's present view. However
   * fast the entry changes, this proves whether the class is uniform.
   *
   * @param otherwise run if the comparison is undecided or does not apply
   */
  private void differed(
      ClassMember member, VerifiableHit evidence, ComparableAnswer said, Runnable otherwise) {
    if (!evidence.isFeedOnly(said)) {
      otherwise.run();
      return;
    }
    evidence.compareTwiceWithFeed(
        said,
        alike -> {
          if (alike == null) {
            otherwise.run();
          } else if (alike) {
            evidence.awaitChange(
                maxLagNanos, changed -> onFeedAgreement(member, evidence, said, changed));
          } else {
            evidence.dropAnswer();
            demote(member, THAN_THE_FEED);
          }
        });
  }

  /**
   * Called when the member and the feed account agree. Either the hit was old, or rights have
   * changed for all alike, which no feed reports.
   */
  private void onFeedAgreement(
      ClassMember member, VerifiableHit evidence, ComparableAnswer said, boolean changed) {
    if (changed && evidence.differingReaders(said).isEmpty()) {
      member.onConfirmed();
    } else if (changed && !member.differsOften()) {
      member.onExcused();
    } else {
      evidence.dropAnswer();
      clearMember(member, evidence, said);
    }
  }

  /**
   * Called when no change explains the mismatch so far. In a uniform class the feed account can
   * decide, since it sees the same.
   */
  private void unexplained(ClassMember member, VerifiableHit evidence, ComparableAnswer said) {
    evidence.dropAnswer();
    if (evidence.isFeedOnly(said)) {
      long now = clock.getAsLong();
      MismatchInvestigation begun =
          MismatchInvestigation.ofFeed(member, evidence, said, maxLagNanos, now);
      demoteIfFull(member, withRoom(member).investigate(begun));
    } else if (member.classState().declaration().uniform()) {
      evidence.compareTwiceWithFeed(said, alike -> onFeedComparison(member, evidence, said, alike));
    } else {
      investigate(member, evidence, said);
    }
  }

  private void onFeedComparison(
      ClassMember member, VerifiableHit evidence, ComparableAnswer said, @Nullable Boolean alike) {
    if (alike == null) {
      investigate(member, evidence, said);
    } else if (alike) {
      clearMember(member, evidence, said);
    } else {
      demote(member, THAN_THE_FEED);
    }
  }

  /**
   * Clears the member, whose answer equals the feed account's. The readers may have more rights.
   */
  private void clearMember(ClassMember member, VerifiableHit evidence, ComparableAnswer said) {
    MismatchInvestigation own =
        MismatchInvestigation.of(member, evidence, said, maxLagNanos, Set.of());
    demoteIfFull(member, investigateReaders(own, evidence.differingReaders(said)));
    member.onConfirmed();
  }

  /** Investigates the member, and the readers of its answer: either may deviate. */
  private void investigate(ClassMember member, VerifiableHit evidence, ComparableAnswer said) {
    Set<ClassMember> readers = evidence.differingReaders(said);
    Set<ClassMember> witnesses = member.differsOften() ? readers : Set.of();
    MismatchInvestigation begun =
        MismatchInvestigation.of(member, evidence, said, maxLagNanos, witnesses);
    boolean room = withRoom(member).investigate(begun);
    demoteIfFull(member, investigateReaders(begun, readers) && room);
  }

  private boolean investigateReaders(
      MismatchInvestigation investigation, Set<ClassMember> readers) {
    boolean room = true;
    for (ClassMember reader : readers) {
      if (!reader.canonical().equals(investigation.member().canonical())) {
        room &= withRoom(reader).investigateReader(investigation.of(reader));
      }
    }
    return room;
  }

  /**
   * Makes room for an investigation. Readers that do not return may fill the class, which proves
   * nothing. As their rights stay unknown, all results of the class are invalidated first.
   */
  private SharingClassState withRoom(ClassMember member) {
    SharingClassState declared = member.classState();
    if (declared.isFull()) {
      renewed.accept(declared);
      declared.dropUnasked();
    }
    return declared;
  }

  private void demoteIfFull(ClassMember member, boolean noted) {
    if (!noted) {
      demote(member, "is one of too many members with an open mismatch");
    }
  }

  /**
   * Called on the client's event loop when a member sends a request. Sends the pending
   * verifications of the member, and requests of open investigations.
   *
   * @param asClient binds a hit to this client
   * @return true if a pending verification is being sent. The request must then not be answered
   *     from memory, since the client could leave before the verification ends
   */
  public boolean onClientAvailable(ClassMember member, Function<Hit, VerifiableHit> asClient) {
    List<Hit> owed = member.duePending(clock.getAsLong());
    for (Hit hit : owed) {
      if (member.startVerifying(hit)) {
        askPending(member, hit, asClient);
      }
    }
    for (MismatchInvestigation investigation : member.classState().investigations()) {
      if (investigation.isOverdue(clock.getAsLong())) {
        demote(
            investigation.member(),
            "could not be proved within 10 minutes to get the same answers upstream as "
                + "other members");
      } else if (investigation.tryAsk(member, clock.getAsLong())) {
        begin(investigation, member, asClient);
      }
    }
    return !owed.isEmpty() && member.isVerifying();
  }

  /** Sends a pending verification at once: the client may leave as soon as it has its answer. */
  private void askPending(ClassMember member, Hit hit, Function<Hit, VerifiableHit> asClient) {
    boolean begun = false;
    try {
      VerifiableHit own = asClient.apply(hit);
      own.askUpstream(said -> onRepeatedAnswer(member, hit, own, said));
      begun = true;
    } finally {
      if (!begun) {
        member.addPending(hit, clock.getAsLong());
      }
    }
  }

  private void onRepeatedAnswer(
      ClassMember member, Hit hit, VerifiableHit own, @Nullable ComparableAnswer said) {
    member.addPending(hit, clock.getAsLong());
    if (said != null) {
      compared(member, own, said);
      member.onVerified(hit);
    }
  }

  private void begin(
      MismatchInvestigation investigation, ClassMember who, Function<Hit, VerifiableHit> asClient) {
    boolean begun = false;
    try {
      VerifiableHit own = asClient.apply(investigation.hit());
      own.executeLater(() -> ask(investigation, who, own));
      begun = true;
    } finally {
      if (!begun) {
        investigation.onAnswer(who, null, clock.getAsLong());
      }
    }
  }

  private void ask(MismatchInvestigation investigation, ClassMember who, VerifiableHit own) {
    boolean begun = false;
    try {
      own.askUpstream(said -> onRepeatedAnswer(investigation, who, own, said));
      begun = true;
    } finally {
      if (!begun) {
        investigation.onAnswer(who, null, clock.getAsLong());
      }
    }
  }

  /**
   * Takes the answer for an investigation. Before a deviation from the feed leads to demotion, the
   * feed account is asked too, since rights may have changed.
   */
  private void onRepeatedAnswer(
      MismatchInvestigation investigation,
      ClassMember who,
      VerifiableHit own,
      @Nullable ComparableAnswer said) {
    Verdict verdict = investigation.onAnswer(who, said, clock.getAsLong());
    if (said != null && verdict == Verdict.DEVIATES && investigation.isFeedOnly()) {
      own.compareTwiceWithFeed(
          said,
          alike ->
              judge(
                  investigation,
                  Boolean.TRUE.equals(alike) ? Verdict.EXPLAINED : Verdict.DEVIATES));
    } else {
      judge(investigation, verdict);
    }
  }

  private void judge(MismatchInvestigation investigation, Verdict verdict) {
    if (verdict == Verdict.EXPLAINED) {
      if (investigation.member().classState().close(investigation)) {
        investigation.member().onExplained();
      }
    } else if (verdict == Verdict.DEVIATES) {
      demote(
          investigation.member(),
          investigation.isFeedOnly()
              ? THAN_THE_FEED
              : "gets another answer upstream than another member");
    }
  }

  private void demote(ClassMember member, String why) {
    SharingClassState declared = member.classState();
    if (declared.demote()) {
      LOG.warn(
          "sharing class {} demoted: its members no longer share results. Check their "
              + "access rights, then restore it with 'stoactl cache restore'. Reason: {} {}",
          declared.declaration().name(),
          member.printableName(),
          why);
      renewed.accept(declared);
    }
  }
}
