// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import java.util.List;

/** Invariants of cached answers, and the bugs that would break them. Threading: immutable. */
final class Invariants {
  private static final String HISTORIES = "SimulatorIT.everyReadIsExplained";
  private static final String SLAPD = "CoherenceIT.noAnswerFromAFeedIsOlderThanItsBound";
  private static final String BLIND = "CoherenceIT.noAnswerIsOlderThanItsBoundIfTheFeedIsBlind";
  private static final String ONE = "CoherenceIT.noAnswerOfASingleServerIsOlderThanTheFeedBound";
  private static final String DS389 = "CoherenceOn389IT.noReadIsOlderThanItsBound";
  private static final String SHARED = "SharedEntriesIT.requestsAnsweredDifferentlyShareNoEntry";
  private static final String MUTANTS = "SimulatorTest.everyBugIsFound";

  /** Invariants by their stable numbers. */
  static final List<Promise> ALL =
      List.of(
          of(
              "I1",
              "An answer from memory is one that the directory would have given within the bound.",
              HISTORIES,
              SLAPD,
              ONE,
              BLIND,
              DS389,
              "ZeroStalenessIT.acknowledgedDirectWritesAreSeenAtOnce",
              SHARED,
              "KnownHistoriesTest.aVerificationDoesNotVouchForTheReadBesideIt"),
          of(
              "I2",
              "A session reads its own writes.",
              HISTORIES,
              "SessionGuaranteesIT.sessionGuaranteesHoldWithCaches",
              "FeedCacheIT.ownWritesAreSeenAtOnce",
              "FeedTreeIT.treeChangesThroughStoaAreSeenAtOnce",
              "SideEffectsIT.ownWritesOfAnUnknownOverlayAreSeenAtOnce"),
          of(
              "I3",
              "A session never reads a state older than one that it has read.",
              HISTORIES,
              "SessionGuaranteesIT.sessionGuaranteesHoldWithFiveSecondsOfLag",
              "CoherenceDomainTest.onlyTheNewerOfTwoEntryStatesIsKept"),
          of(
              "I4",
              "Without further writes, every stored result equals the directory.",
              HISTORIES,
              "DomainHistoryTest.admittedAnswersEqualTheDirectory",
              "IncrementalUpdateIT.uniformResultsAreUpdatedInPlaceAsSlapdAnswers"),
          of(
              "I5",
              "Of a concurrent change and fill, at least one sees the other.",
              "RingRaceTest.noChangeIsMissedInAnyInterleaving",
              "MemoryFencesTest.applyingPassesAFenceBetweenTheRingAndTheIndex",
              "MemoryFencesTest.fillingPassesAFenceBetweenTheIndexAndTheRing",
              "MemoryFencesTest.aFenceIsAFullFence",
              "RingRaceIT.aConcurrentChangeOrReadSeesTheOther",
              "RingRaceIT.noViewOlderThanAnAppliedChangeIsKept"),
          of(
              "I6",
              "Every view that a change may alter is found.",
              "PredicateIndexTest.everyViewThatMayDifferIsFound",
              "PredicateIndexTest.everyViewAtOrBelowASubtreeIsFound"),
          of(
              "I7",
              "A filter is evaluated as the directory evaluates it, or counts as unknown.",
              "EvaluatorIT.slapd",
              "EvaluatorIT.ds389"),
          of(
              "I8",
              "A fault of the feed costs hits. The audit finds results whose change the feed has"
                  + " lost.",
              HISTORIES,
              "FeedLossIT.aCutFeedResumesFromItsPosition",
              "FeedLossIT.noResultOutlivesAKilledServer",
              "FeedLossIT.aServerBehindItsFeedIsResynced",
              "SyncReplSessionTest.messagesInAnyOrderNeverOvertakeTheirCookie",
              "AuditorIT.aResultWhoseChangeTheFeedMissedIsFoundAndDropped",
              "SimulatorTest.theAuditFindsChangesMissedByAFeed"),
          of(
              "I9",
              "A change of an aborted transaction does not stay in the cache.",
              HISTORIES,
              "FeedTreeIT.aTransactionThatIsAbortedLeavesNothing",
              "PhantomIT.aPhantomIsServedOnlyForAMoment",
              "LongTransactionIT.aReadDuringALongTransactionIsNotKept",
              "CoherenceDomainTest.aPhantomIsNotTakenForAHiddenEntry"),
          of(
              "I10",
              "No client receives data that the directory would not show to its identity.",
              HISTORIES,
              SLAPD,
              DS389,
              "IdentityIT.eachIdentityGetsTheDirectorysAnswers",
              "HiddenEntriesIT.aClientNeverSeesValuesThatOnlyOthersMayRead",
              "FeedCacheIT.rightsAreProvedOnlyByTheAttributesRead",
              "AclChangeIT.aRuleThatIsChangedHoldsWithinTheBound",
              "SideEffectsIT.ownConfigurationChangesHoldForTheNextRead",
              "SharedEntriesFeedIT.dynlistMembersAreNotSharedWithManageDsaIt",
              "AclChangeIT.aFormerGroupMemberLosesItsRightsWhenTheFeedReportsIt",
              "AclChangeIT.aMemberRemovedByRefintLosesItsRightsWithinTheBound",
              "AclChangeOnReplicasIT.aRuleOfTheAnsweringReplicaHoldsWithinTheBound",
              "AclChangeOnReplicasIT.aServerThatReturnsWithOtherRulesIsNotTrusted",
              "AclChangeOn389IT.aDirectAciChangeHoldsWithinTheBound",
              "AclChangeOn389IT.aRuleThatComesThroughStoaHoldsAtOnce"),
          of(
              "I11",
              "A class whose members see different data is demoted.",
              "SharingClassIT.anIncorrectClassIsDemotedAfterFewWrongAnswers",
              "SharingClassIT.aMemberWithFewerRightsGetsOneWrongAnswer",
              "VerifierTest.aMemberThatBeginsToDeviateIsHeldWithinTheSampleRate",
              "AuditorIT.anIdleMemberWithFewerRightsIsFoundByTheAudit"),
          of(
              "I12",
              "Data derived from groups is not older than its bound.",
              HISTORIES,
              ONE,
              DS389,
              "DerivedDifferentialIT.derivedAnswersEqualTheDirectory",
              "MemberOfIT.directGroupChangesAreSeenWithinTheBound",
              "MemberOfIT.groupChangesThroughStoaAreSeenAtOnce",
              "FeedTreeIT.operationalAttributesExpireByAge"),
          of(
              "I13",
              "No result is served under a former name of a renamed subtree.",
              HISTORIES,
              SLAPD,
              DS389,
              "FeedTreeIT.directTreeChangesAreSeenWithinTheBound",
              "FeedTreeIT.aSubtreeMovedAwayAndBackIsFoundAgain",
              "KnownHistoriesTest.anAbsentEntryComesBackByItsFormerName",
              "SubtreeInvalidationTest.aRenamedSubtreeInvalidatesEverythingBelow",
              "SubtreeInvalidationTest.entriesBelowTheFormerNameOfALeafAreInvalidated",
              "SubtreeInvalidationTest.viewsThatMayBeBelowInAnotherSpellingAreInvalidated"),
          of(
              "I17",
              "A silent feed grants no lease.",
              HISTORIES,
              "CoherenceLeaseTest.aLiveLeaseCoversEveryWriteOlderThanTheBound",
              "CoherenceLeaseTest.isNotLiveAfterAPause",
              "FeedLossIT.aSilentFeedGrantsNoLease",
              "FeedLossIT.resultsOfAFrozenServerDoNotOutliveTheLease"),
          of(
              "I18",
              "Updates cost few hits.",
              "ExperimentsIT.coherenceBenefit",
              "IncrementalUpdateIT.uniformResultsAreUpdatedInPlaceAsSlapdAnswers",
              "AclChangeIT.changesOfEntriesInNoGroupInvalidateNothing",
              "SubtreeInvalidationTest.aViewOfAnOddNameHarmsNoOtherView"),
          of(
              "I19",
              "Memory is bounded. Ended views and old changes leave nothing behind.",
              HISTORIES,
              "IndexLeakTest.unregisteredViewsLeaveNothing",
              "ViewTest.leavesNothingInTheIndexInAnyOrder",
              "LastCsnTest.oldChangesAreForgotten",
              "ChangeRingBoundsTest.staysWithinItsMemoryLimit"),
          of(
              "I20",
              "After a write of unknown outcome no earlier result is served.",
              HISTORIES,
              "UnknownOutcomeIT.aWriteOfUnknownOutcomeInvalidates",
              "UnknownOutcomeFeedIT.resultsOnAFeedAreDroppedAfterAnUnknownOutcome"));

  /** Bugs, each of which is put into a copy of Stoa. */
  static final List<Promise> BUGS =
      List.of(
          bug(
              "Fills are not validated against the changes since they began.",
              "I1",
              "NO_RING_SCAN"),
          Promise.of(
              "The memory fences between the change ring and the index are left out.",
              "",
              "I5",
              "RingRaceTest.aChangeIsMissedWithoutEitherFence",
              "MemoryFencesTest.applyingPassesAFenceBetweenTheRingAndTheIndex",
              "MemoryFencesTest.fillingPassesAFenceBetweenTheIndexAndTheRing",
              "MemoryFencesTest.aFenceIsAFullFence"),
          bug("A server shows all that its position covers.", "I1, I9", "POSITIONS_ONLY"),
          bug("A server shows at once what its position covers.", "I1", "NO_SETTLING"),
          bug(
              "A transaction is over when it has settled, however long it takes.",
              "I1",
              "NO_TRANSACTIONS"),
          bug("A renamed subtree invalidates its top entry alone.", "I13", "NO_SUBTREES"),
          Promise.of(
              "A subtree that is empty when it is read was empty when it was renamed."
                  + " `TRUSTED_EMPTY_SUBTREES`",
              "",
              "I2, I13",
              MUTANTS,
              "SubtreeInvalidationTest.entriesBelowTheFormerNameOfALeafAreInvalidated",
              "FillValidatorTest.entriesBelowTheFormerNameOfALeafAreUnsure"),
          bug("Two of three identities share one partition.", "I10", "TWO_IDENTITIES_ARE_ONE"),
          bug("All identities share one partition.", "I10", "NO_IDENTITIES"),
          bug("A search after a write joins a fill that began before it.", "I2", "NO_NEW_SEARCHES"),
          bug("Writes through Stoa are left to the feed.", "I2", "NO_OWN_WRITES"),
          bug(
              "Own writes without a position in the order of the feed are left to the feed.",
              "I2",
              "NO_UNPLACED"),
          bug(
              "The first position of a server after a write counts as its last.",
              "I2",
              "NO_PENDING"),
          bug("The choice of a server ignores what the session has seen.", "I2", "NO_SESSIONS"),
          bug(
              "A session forgets which writes of others it has been shown.",
              "I3",
              "NO_SEEN_WRITES"),
          bug("The lease of a feed never ends.", "I17", "NO_LEASE"),
          bug("Results outlive the gaps of their feed.", "I8", "NO_GAPS"),
          bug("Updates in place are never verified.", "I9", "NO_CONFIRMING"),
          bug(
              "Every class counts as uniform: the feed's values go to all of its members.",
              "I10",
              "ALL_UNIFORM"),
          bug("A result is reported as updated in place, and is not.", "I1", "NO_UPDATES_IN_PLACE"),
          bug("Views that have ended stay in the index.", "I19", "NO_LEAVING"),
          bug(
              "A write without an outcome counts as one that has failed.",
              "I20",
              "NO_UNKNOWN_OUTCOMES"),
          bug("A change ends no epoch.", "I1", "NO_EPOCHS"),
          Promise.of(
              "A stored entry answers searches of another form.",
              "",
              "I1",
              "DifferentialFuzzIT.aBugThatIsPutInIsFound",
              SHARED),
          bug("The maximum age is infinite.", "I1", "NO_AGE"));

  private Invariants() {}

  private static Promise of(String number, String what, String... tests) {
    return Promise.of(number, "", what, tests);
  }

  private static Promise bug(String what, String breaks, String mutant) {
    return Promise.of(what + " `" + mutant + "`", "", breaks, MUTANTS);
  }
}
