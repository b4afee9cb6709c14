// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.lang.Boolean.FALSE;

import io.stoa.cache.sharing.MismatchInvestigation.Verdict;
import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.cache.sharing.VerifiableHit.Hit;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies that the members of sharing classes are served what upstream would answer them.
 *
 * <ol>
 *   <li>A sample of hits is sent upstream as the client, after the client has its answer. The first
 *       hits of a member, and those after a change of rights, are all sent.
 *   <li>A member whose hit differs is suspended: it shares nothing. The member as which the answer
 *       was read is suspended, too.
 *   <li>Each shares again if a re-read explains the mismatch ({@link MismatchInvestigation}). If
 *       the re-read confirms it, the class is demoted.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class Verifier {
  private static final Logger LOG = LoggerFactory.getLogger(Verifier.class);

  /** Maximum number of concurrent verifications: 16. */
  static final int MAX_CONCURRENT = 16;

  /** Factor by which more hits are verified for a short time after a mismatch: 10. */
  private static final int WATCH_FACTOR = 10;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final AtomicInteger freePermits = new AtomicInteger(MAX_CONCURRENT);
  private final int oneIn;
  private final Consumer<SharingClassState> invalidator;
  private final IntPredicate chance;
  private final LongSupplier clock;
  private volatile long maxLagNanos = TimeUnit.SECONDS.toNanos(1);
  private volatile Supplier<Duration> timeout = () -> PATIENCE;
  private volatile LongSupplier rightsChanges = () -> 0;

  /**
   * Creates a verifier.
   *
   * @param oneIn one hit out of this number is verified, on average
   * @param invalidator invalidates the shared results of a class
   * @param chance true with a probability of one in its argument
   */
  Verifier(
      int oneIn, Consumer<SharingClassState> invalidator, IntPredicate chance, LongSupplier clock) {
    this.oneIn = oneIn;
    this.invalidator = invalidator;
    this.chance = chance;
    this.clock = clock;
  }

  /** Sets the time by which servers may lag behind one another without a mismatch. */
  public void setMaxLag(Duration time) {
    maxLagNanos = time.toNanos();
  }

  /** Sets the timeout of a verification, after which a silent server no longer holds its permit. */
  public void setTimeout(Supplier<Duration> time) {
    timeout = time;
  }

  /** Sets the counter of reported changes of rights: each puts all members on probation. */
  public void setRightsChanges(LongSupplier count) {
    rightsChanges = count;
  }

  private long rightsChanges() {
    return rightsChanges.getAsLong();
  }

  /** Returns the timeout of a verification. */
  public Duration timeout() {
    return timeout.get();
  }

  /**
   * True if the member may share now. A member that is suspended or has pending verifications may
   * not. While it is on probation, a verification must be able to begin.
   */
  boolean mayShare(ClassMember member) {
    return !member.isSuspended()
        && !member.hasPending()
        && (!member.isOnProbation(rightsChanges()) || mayBegin(member));
  }

  private boolean mayBegin(ClassMember member) {
    return freePermits.get() > 0
        && !member.classState().pendingVerifications().isFull(clock.getAsLong());
  }

  /**
   * Called on the client's event loop for each hit of a member. Verifies a sample of the hits.
   *
   * @param source copies the data needed for a verification
   */
  public void onHit(ClassMember member, VerifiableHit.HitSource source) {
    member.classState().countHit();
    if (member.onHit(rightsChanges()) || chance.test(sampling(member.classState()))) {
      VerifiableHit verifiable = source.copy();
      VerificationPermit permit = VerificationPermit.of(freePermits);
      if (permit != null) {
        guarded(
            () -> verifiable.executeLater(() -> ask(member, verifiable, permit)), permit::release);
      } else {
        // all permits are busy: the hit is verified later
        member.addPending(verifiable.hit(), clock.getAsLong());
      }
    }
  }

  private int sampling(SharingClassState state) {
    boolean more = state.isWatched(clock.getAsLong());
    return more ? Math.max(1, oneIn / WATCH_FACTOR) : oneIn;
  }

  /** Runs a step. If it fails, runs the other one and throws the exception of the first. */
  private static void guarded(Runnable step, Runnable failed) {
    boolean begun = false;
    try {
      step.run();
      begun = true;
    } finally {
      if (!begun) {
        failed.run();
      }
    }
  }

  private void ask(ClassMember member, VerifiableHit hit, VerificationPermit permit) {
    guarded(
        () -> hit.askUpstream(answer -> onAnswer(member, hit, permit, answer)),
        () -> onAnswer(member, hit, permit, null));
  }

  private void onAnswer(
      ClassMember member,
      VerifiableHit hit,
      VerificationPermit permit,
      @Nullable ComparableAnswer answer) {
    if (!permit.release()) {
      return;
    }
    if (answer == null) {
      member.addPending(hit.hit(), clock.getAsLong());
    } else {
      onCompared(member, hit, answer);
    }
  }

  private void onCompared(ClassMember member, VerifiableHit hit, ComparableAnswer answer) {
    boolean same = answer.equals(hit.servedAnswer());
    member.classState().countVerification(same, clock.getAsLong());
    if (same) {
      member.onAgreement();
    } else {
      onMismatch(member, hit, answer);
    }
  }

  /**
   * Called on the client's event loop when an audit found a mismatch that lasted longer than a
   * change can be delayed.
   */
  public void onAuditMismatch(ClassMember member, VerifiableHit hit) {
    hit.askUpstream(
        answer -> {
          if (answer != null && !answer.equals(hit.servedAnswer())) {
            member.classState().countVerification(false, clock.getAsLong());
            onMismatch(member, hit, answer);
          }
        });
  }

  /**
   * Investigates the member against the reader of its answer. Parts of an answer may have further
   * readers, each of which may deviate, and parts that only the feed has reported.
   */
  private void onMismatch(ClassMember member, VerifiableHit verifiable, ComparableAnswer answer) {
    verifiable.dropAnswer();
    if (member.isSuspended()) {
      return;
    }
    long now = clock.getAsLong();
    List<ClassMember> readers =
        verifiable.differingReaders(answer).stream()
            .filter(reader -> !reader.canonical().equals(member.canonical()))
            .toList();
    ClassMember reader = readers.isEmpty() ? null : readers.get(0);
    boolean feedOnly = verifiable.isFeedOnly(answer);
    if (reader != null || !feedOnly) {
      begin(investigation(member, verifiable, false, now).against(reader), verifiable, answer);
    }
    if (feedOnly) {
      begin(investigation(member, verifiable, true, now), verifiable, answer);
    }
    readers.stream()
        .skip(1)
        .map(each -> investigation(each, verifiable, false, now))
        .forEach(this::open);
  }

  private MismatchInvestigation investigation(
      ClassMember member, VerifiableHit verifiable, boolean feedOnly, long now) {
    return new MismatchInvestigation(member, verifiable.hit(), feedOnly, maxLagNanos, now);
  }

  /** Opens an investigation. In a uniform class the account of the feed can decide at once. */
  private void begin(
      MismatchInvestigation investigation, VerifiableHit verifiable, ComparableAnswer answer) {
    investigation.onAnswer(investigation.member(), answer, clock.getAsLong(), rightsChanges());
    open(investigation);
    if (investigation.isByFeed()) {
      verifiable.compareTwiceWithFeed(answer, alike -> onFeedComparison(investigation, alike));
    }
  }

  /** Called when the account of the feed was asked. If it sees the same, the reader may deviate. */
  private void onFeedComparison(MismatchInvestigation investigation, @Nullable Boolean alike) {
    ClassMember reader = investigation.reader();
    if (Boolean.FALSE.equals(alike)) {
      closeAndDemote(investigation, "gets other values upstream than the account of the feed");
    } else if (alike != null) {
      replace(investigation, reader == null ? Stream.of() : Stream.of(reader));
    }
  }

  private static boolean close(MismatchInvestigation investigation) {
    return investigation.member().classState().close(investigation);
  }

  /** Replaces an investigation by those that compare each of these members with any other. */
  private void replace(MismatchInvestigation investigation, Stream<ClassMember> members) {
    long now = clock.getAsLong();
    List<MismatchInvestigation> successors =
        members.map(each -> investigation.againstAny(each, now)).toList();
    SharingClassState state = investigation.member().classState();
    ensureRoom(investigation, () -> state.replace(investigation, successors));
  }

  private void open(MismatchInvestigation investigation) {
    SharingClassState state = investigation.member().classState();
    ensureRoom(investigation, () -> state.open(investigation));
  }

  /**
   * Opens investigations. Readers that do not return may fill the class, which proves nothing. As
   * their rights stay unknown, all results of the class are then invalidated, and these readers are
   * released.
   *
   * @param opened opens them; false if there are too many
   */
  private void ensureRoom(MismatchInvestigation investigation, BooleanSupplier opened) {
    SharingClassState state = investigation.member().classState();
    if (!opened.getAsBoolean()) {
      invalidator.accept(state);
      state.dropUnasked();
      if (!opened.getAsBoolean()) {
        demote(investigation, "is one of too many members with an open mismatch");
      }
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
    List<Hit> dueHits = member.duePending(clock.getAsLong());
    for (Hit hit : dueHits) {
      if (member.startVerifying(hit)) {
        askPending(member, hit, asClient);
      }
    }
    for (MismatchInvestigation investigation : member.classState().investigations()) {
      if (investigation.tryAsk(member, clock.getAsLong())) {
        ask(investigation, member, asClient);
      } else if (investigation.reader() != null && investigation.isAway(clock.getAsLong())) {
        replace(investigation, investigation.suspended());
      }
    }
    return !dueHits.isEmpty() && member.isVerifying();
  }

  /** True if {@link #onClientAvailable} would send pending verifications of this member now. */
  public boolean isDue(ClassMember member) {
    return member.isVerificationDue(clock.getAsLong());
  }

  /** Sends a pending verification at once: the client may leave as soon as it has its answer. */
  private void askPending(ClassMember member, Hit hit, Function<Hit, VerifiableHit> asClient) {
    guarded(
        () -> {
          VerifiableHit verifiableHit = asClient.apply(hit);
          verifiableHit.askUpstream(answer -> onRepeatedAnswer(member, hit, verifiableHit, answer));
        },
        () -> member.addPending(hit, clock.getAsLong()));
  }

  private void onRepeatedAnswer(
      ClassMember member, Hit hit, VerifiableHit verifiableHit, @Nullable ComparableAnswer answer) {
    member.addPending(hit, clock.getAsLong());
    if (answer != null) {
      onCompared(member, verifiableHit, answer);
      member.onVerified(hit);
    } else if (verifiableHit.isMalformed()) {
      member.beginProbation(); // first, so that no hit stays unverified
      member.onVerified(hit);
    }
  }

  private void ask(
      MismatchInvestigation investigation,
      ClassMember member,
      Function<Hit, VerifiableHit> asClient) {
    Runnable failed =
        () -> investigation.onAnswer(member, null, clock.getAsLong(), rightsChanges());
    guarded(
        () -> {
          VerifiableHit hit = asClient.apply(investigation.hit());
          hit.executeLater(
              () ->
                  guarded(
                      () ->
                          hit.askUpstream(
                              answer -> onRepeatedAnswer(investigation, member, hit, answer)),
                      failed));
        },
        failed);
  }

  /**
   * Takes the answer for an investigation. If the feed account cannot decide on a state that only
   * the feed has reported, the member deviates.
   */
  private void onRepeatedAnswer(
      MismatchInvestigation investigation,
      ClassMember member,
      VerifiableHit verifiableHit,
      @Nullable ComparableAnswer answer) {
    Verdict verdict = investigation.onAnswer(member, answer, clock.getAsLong(), rightsChanges());
    if (verdict == Verdict.EXPLAINED) {
      close(investigation);
    } else if (verdict == Verdict.DEVIATES) {
      closeAndDemote(
          investigation, "gets another answer upstream than " + investigation.printableOther());
    } else if (answer != null && verdict == Verdict.ASK_FEED) {
      verifiableHit.compareTwiceWithFeed(
          answer,
          alike ->
              onFeedComparison(
                  investigation, (alike == null && investigation.isFeedOnly()) ? FALSE : alike));
    } else if (verifiableHit.isMalformed()) { // it cannot be repeated any more
      investigation.suspended().forEach(ClassMember::beginProbation); // first: no unverified hit
      close(investigation);
    }
  }

  /** Demotes the class, unless the investigation was closed before its verdict. */
  private void closeAndDemote(MismatchInvestigation investigation, String reason) {
    if (close(investigation)) {
      demote(investigation, reason);
    }
  }

  private void demote(MismatchInvestigation investigation, String reason) {
    SharingClassState state = investigation.member().classState();
    if (state.demote()) {
      LOG.warn(
          "sharing class {} demoted: its members no longer share results. Check their "
              + "access rights, then restore it with 'stoactl cache restore'. Reason: {} {} ({})",
          state.declaration().name(),
          investigation.member().printableName(),
          reason,
          investigation.answers());
      invalidator.accept(state);
    }
  }
}
