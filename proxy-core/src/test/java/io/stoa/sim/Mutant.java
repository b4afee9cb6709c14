// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.cache.result.CacheMutationTargets;
import io.stoa.cache.sharing.ClassTable;
import io.stoa.cache.sharing.SharingClass;
import io.stoa.coherence.freshness.CoherenceLease;
import io.stoa.coherence.invalidation.ChangeRing;
import io.stoa.coherence.invalidation.RingRecord;
import io.stoa.coherence.tracking.OwnWrites;
import io.stoa.coherence.view.EpochState;
import io.stoa.coherence.view.SubtreeInvalidation;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.ReadSource;
import io.stoa.replication.SessionGuarantees;
import io.stoa.sim.check.Violation.Kind;
import io.stoa.testing.mutation.Advices.Anonymous;
import io.stoa.testing.mutation.Advices.ReturnFalse;
import io.stoa.testing.mutation.Advices.ReturnTrue;
import io.stoa.testing.mutation.Advices.ReturnZero;
import io.stoa.testing.mutation.Advices.Skip;
import io.stoa.testing.mutation.Advices.SkipAndAgree;
import io.stoa.testing.mutation.MethodRef;
import io.stoa.testing.mutation.MutatedCode;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.implementation.bytecode.assign.Assigner;

/**
 * Stoa with one defect put in, to prove that the simulator finds it: a copy with one method
 * changed.
 *
 * <p>Threading: immutable.
 */
enum Mutant {
  /** A change ends no epoch. */
  NO_EPOCHS(Fault.NONE, Skip.class, CacheMutationTargets.EPOCH_END),
  /** Fills are stored while the outcome of a write is unknown. */
  NO_SUSPENSION(Fault.WRITE_ANSWER_LOST, ReturnFalse.class, CacheMutationTargets.EPOCH_SUSPENDED),
  /** The maximum age is infinite. */
  NO_AGE(Fault.NONE, ReturnZero.class, CacheMutationTargets.LOOKUP_OLDEST),
  /** Every replica counts as new as the primary. */
  NO_LAG(Fault.REPLICA_LAG, ReturnZero.class, MethodRef.of(ReadSource::behindNanos)),
  /** The choice of a server ignores what the session has seen. */
  NO_SESSIONS(
      Fault.REPLICA_LAG,
      ReturnTrue.class,
      MethodRef.<SessionGuarantees, Object, SessionGuarantees.ReadRequirement, Boolean>of(
          SessionGuarantees::admits)),
  /** Hits ignore what the session has seen. */
  NO_SESSIONS_IN_MEMORY(
      Fault.PRIMARY_SILENT,
      ReturnTrue.class,
      MethodRef.<SessionGuarantees, List<ReadSource>, Operation>of(SessionGuarantees::admits)),
  /** A session forgets which writes of others it has been shown. */
  NO_SEEN_WRITES(
      Fault.REPLICA_LAG, Skip.class, io.stoa.replication.ReplicationMutationTargets.WRITES_SEEN),
  /** An entry that was read with few attributes serves requests for others. */
  NO_SELECTIONS(Fault.NONE, ReturnTrue.class, MethodRef.of(AttributeSelection::covers)),
  /** The end of a fill wakes no operation that joined it. */
  NO_WAKING(Fault.NONE, Skip.class, CacheMutationTargets.FILL_END),
  /** The explanation names every search a hit. */
  FALSE_EXPLANATIONS(Fault.NONE, TrueArgument.class, CacheMutationTargets.EXPLANATION_END),
  /** All identities share one partition. */
  NO_IDENTITIES(
      Fault.NONE, Anonymous.class, MethodRef.of(ClassTable::of), MethodRef.of(ClassTable::peek)),
  /** Two of three identities share one partition. */
  TWO_IDENTITIES_ARE_ONE(
      Fault.NONE, ClerkAsAdmin.class, MethodRef.of(ClassTable::of), MethodRef.of(ClassTable::peek)),
  /** A search after a write joins a fill that began before it. */
  NO_NEW_SEARCHES(Fault.NONE, EarlierEpoch.class, CacheMutationTargets.LOOKUP),
  /** The first position of a server after a write counts as its last. */
  NO_PENDING(
      Fault.NONE, EarlierTime.class, io.stoa.replication.ReplicationMutationTargets.WRITE_END),
  /** Fills are not validated against the changes since they began. */
  NO_RING_SCAN(Fault.NONE, EmptyResult.class, MethodRef.of(ChangeRing::relevantTo)),
  /** A server shows at once what its position covers. */
  NO_SETTLING(
      Fault.NONE,
      ReturnFalse.class,
      io.stoa.coherence.invalidation.InvalidationMutationTargets.IS_YOUNG),
  /** A transaction is over when it has settled, however long it takes. */
  NO_TRANSACTIONS(Fault.NONE, ReturnFirst.class, MethodRef.of(CommitTracker::settled)),
  /** A server shows all that its position covers. */
  POSITIONS_ONLY(
      Fault.NONE,
      PositionVerdict.class,
      io.stoa.coherence.invalidation.InvalidationMutationTargets.JUDGE),
  /** Views that have ended stay in the index. */
  NO_LEAVING(Fault.NONE, Skip.class, io.stoa.coherence.view.ViewMutationTargets.LEAVE),
  /** A write without an outcome counts as one that has failed. */
  NO_UNKNOWN_OUTCOMES(
      Fault.WRITE_ANSWER_LOST, Skip.class, MethodRef.of(OwnWrites::onUnknownOutcome)),
  /** A renamed subtree invalidates its top entry alone. */
  NO_SUBTREES(Fault.NONE, Skip.class, MethodRef.of(SubtreeInvalidation::onRenamed)),
  /** A subtree that is empty when it is read was empty when it was renamed. */
  TRUSTED_EMPTY_SUBTREES(
      Fault.FEED_SILENT, Skip.class, io.stoa.coherence.view.ViewMutationTargets.SUBTREE_LEFT),
  /** Writes through Stoa are left to the feed. */
  NO_OWN_WRITES(
      Fault.FEED_SILENT,
      Skip.class,
      io.stoa.coherence.tracking.TrackingMutationTargets.APPLY_OWN_WRITE),
  /** The lease of a feed never ends. */
  NO_LEASE(Fault.FEED_SILENT, ReturnTrue.class, MethodRef.of(CoherenceLease::isLive)),
  /** Own writes without a place in the order of the feed are left to the feed. */
  NO_UNPLACED(
      Fault.FEED_SILENT,
      Skip.class,
      io.stoa.coherence.invalidation.InvalidationMutationTargets.TAKE),
  /** Results outlive the gaps of their feed. */
  NO_GAPS(Fault.COOKIE_LOST, Skip.class, MethodRef.of(EpochState::end)),
  /** Updates in place are never verified. */
  NO_CONFIRMING(
      Fault.NONE, Skip.class, io.stoa.coherence.invalidation.InvalidationMutationTargets.SCHEDULE),
  /** Every class counts as uniform: the feed's values go to all of its members. */
  ALL_UNIFORM(Fault.NONE, ReturnTrue.class, MethodRef.of(SharingClass::uniform)),
  /** A result is reported as updated in place, and is not. */
  NO_UPDATES_IN_PLACE(Fault.NONE, SkipAndAgree.class, CacheMutationTargets.AMENDED);

  /** Constants, as they are copied into the changed method. */
  private static final String ADMIN = SimNames.ADMIN;

  private static final String CLERK = SimNames.CLERK;

  private static final Set<Mutant> WITHOUT_FEED =
      EnumSet.of(
          NO_EPOCHS,
          NO_SUSPENSION,
          NO_AGE,
          NO_LAG,
          NO_SESSIONS,
          NO_SESSIONS_IN_MEMORY,
          NO_SEEN_WRITES,
          NO_WAKING,
          FALSE_EXPLANATIONS,
          NO_IDENTITIES,
          TWO_IDENTITIES_ARE_ONE,
          NO_NEW_SEARCHES,
          NO_PENDING);

  private final Fault fault;
  private final Class<?> advice;

  @SuppressWarnings("ImmutableEnumChecker") // never written
  private final MethodRef[] targets;

  Mutant(Fault fault, Class<?> advice, MethodRef... targets) {
    this.fault = fault;
    this.advice = advice;
    this.targets = targets.clone();
  }

  /** Returns the seed of a history that is likely to show the defect, to save time. */
  long likelySeed() {
    return switch (this) {
      case NO_EPOCHS -> 9;
      case NO_SUSPENSION -> 177;
      case NO_LAG, NO_GAPS -> 20;
      case NO_RING_SCAN, NO_TRANSACTIONS -> 146;
      case NO_CONFIRMING -> 133;
      case NO_UNPLACED -> 1_493;
      case NO_SETTLING, POSITIONS_ONLY -> 324;
      case NO_SESSIONS_IN_MEMORY -> 196;
      case NO_NEW_SEARCHES -> 602;
      case NO_PENDING -> 322;
      case NO_UNKNOWN_OUTCOMES -> 118;
      case TRUSTED_EMPTY_SUBTREES -> 2_454;
      case NO_OWN_WRITES -> 45;
      case ALL_UNIFORM -> 10;
      case NO_UPDATES_IN_PLACE, NO_SUBTREES -> 61;
      default -> 1;
    };
  }

  /** Returns the promises that it breaks: the defect counts as found only by one of these. */
  Set<Kind> brokenPromises() {
    return switch (this) {
      case NO_IDENTITIES, TWO_IDENTITIES_ARE_ONE, ALL_UNIFORM -> EnumSet.of(Kind.LEAK);
      case NO_SESSIONS,
          NO_SESSIONS_IN_MEMORY,
          NO_SEEN_WRITES,
          NO_PENDING,
          NO_OWN_WRITES,
          NO_UNPLACED ->
          EnumSet.of(Kind.SESSION);
      case NO_LEASE, FALSE_EXPLANATIONS -> EnumSet.of(Kind.TIME);
      case NO_AGE -> EnumSet.of(Kind.STATE, Kind.TIME);
      case NO_LEAVING -> EnumSet.of(Kind.MEMORY);
      case NO_WAKING -> EnumSet.of(Kind.UNANSWERED);
      default -> EnumSet.of(Kind.STATE);
    };
  }

  /** Returns Stoa and the simulator with the defect. */
  MutatedCode copy() {
    MutatedCode copy = new MutatedCode().advise(advice, targets);
    if (this == NO_NEW_SEARCHES) { // an operation that has waited would look up again
      copy.stub(CacheMutationTargets.LOOKUP_EPOCH, CacheMutationTargets.FILL_SERVES);
    }
    return copy;
  }

  /** Returns the kinds of the promises that a history breaks in the copy. */
  Set<Kind> broken(MutatedCode copy, long seed) {
    boolean fed = !WITHOUT_FEED.contains(this);
    Set<Kind> broken = EnumSet.noneOf(Kind.class);
    Set<?> names = (Set<?>) copy.call(MethodRef.of(Replay::broken), seed, fed, fault.name());
    names.forEach(name -> broken.add(Kind.valueOf((String) name)));
    return broken;
  }

  /** Returns the number of acts that break one of the promises, and what else it takes. */
  String summary(MutatedCode copy, long seed, Kind kind) {
    boolean fed = !WITHOUT_FEED.contains(this);
    return (String) copy.call(MethodRef.of(Replay::summary), seed, fed, fault.name(), kind.name());
  }

  /** Code that is put behind a method. Stateless. */
  static final class ReturnFirst {
    private ReturnFirst() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void returnFirst(
        @Advice.Argument(0) long given, @Advice.Return(readOnly = false) long result) {
      result = given;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class EmptyResult {
    private EmptyResult() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void empty(
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
      result = List.of();
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class TrueArgument {
    private TrueArgument() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void find(@Advice.Argument(value = 1, readOnly = false) boolean found) {
      found = true;
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class ClerkAsAdmin {
    private ClerkAsAdmin() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void promote(@Advice.Argument(value = 0, readOnly = false) Octets identity) {
      identity = identity.equals(Octets.ofUtf8(CLERK)) ? Octets.ofUtf8(ADMIN) : identity;
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class EarlierEpoch {
    private EarlierEpoch() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void turnBack(
        @Advice.Argument(0) Operation operation,
        @Advice.Argument(value = 4, readOnly = false) long epoch) {
      epoch = operation.state() == OperationState.WAITING ? epoch - 1 : epoch;
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class EarlierTime {
    private EarlierTime() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void hasten(@Advice.Argument(value = 2, readOnly = false) long after) {
      after = after - 20_000_000;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class PositionVerdict {
    private PositionVerdict() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void believe(
        @Advice.Argument(0) RingRecord change,
        @Advice.Argument(1) ChangeRing.ReadSummary reading,
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object verdict) {
      Object[] verdicts = verdict.getClass().getEnumConstants();
      verdict = verdicts[change.isCoveredBy(reading.position()) ? 0 : 1];
    }
  }
}
