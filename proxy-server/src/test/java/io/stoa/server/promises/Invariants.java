// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import java.util.List;

/** What must hold of answers that rest on a feed, and the bugs that would break it. Immutable. */
final class Invariants {
  private static final String HISTORIES = "SimulatorIT.everyReadIsExplained";
  private static final String SLAPD = "CoherenceIT.noAnswerFromAFeedIsOlderThanItsBound";
  private static final String BLIND = "CoherenceIT.noAnswerIsOlderThanItsBoundIfTheFeedIsBlind";
  private static final String ONE = "CoherenceIT.noAnswerOfASingleServerIsOlderThanTheFeedBound";
  private static final String DS389 = "CoherenceOn389IT.noReadIsOlderThanItsBound";
  private static final String SHARED = "SharedEntriesIT.requestsAnsweredDifferentlyShareNoEntry";
  private static final String MUTANTS = "SimulatorTest.everyBugIsFound";

  /** By their numbers in the design. */
  static final List<Promise> ALL =
      List.of(
          of(
              "I1",
              "what is answered from memory was so within the bound",
              HISTORIES,
              SLAPD,
              ONE,
              BLIND,
              DS389,
              "ZeroStalenessIT.acknowledgedDirectWritesAreSeenAtOnce",
              SHARED),
          of(
              "I2",
              "a session reads what it has written",
              HISTORIES,
              "SessionGuaranteesIT.sessionGuaranteesHoldWithCaches",
              "FeedCacheIT.ownWritesAreSeenAtOnce",
              "FeedTreeIT.treeChangesThroughStoaAreSeenAtOnce",
              "SideEffectsIT.ownWritesOfAnUnknownOverlayAreSeenAtOnce"),
          of(
              "I3",
              "a session reads nothing older than what it has read",
              HISTORIES,
              "SessionGuaranteesIT.sessionGuaranteesHoldWithFiveSecondsOfLag",
              "CoherenceDomainTest.onlyTheNewerOfTwoEntryStatesIsKept"),
          of(
              "I4",
              "when all is quiet, whatever is in memory is what the directory holds",
              HISTORIES,
              "DomainHistoryTest.admittedAnswersEqualTheDirectory",
              "IncrementalUpdateIT.uniformResultsAreUpdatedInPlaceAsSlapdAnswers"),
          of(
              "I5",
              "of a change and a read that do not know of each other, one sees the other",
              "RingRaceTest.noChangeIsMissedInAnyInterleaving",
              "MemoryFencesTest.applyingPassesAFenceBetweenTheRingAndTheIndex",
              "MemoryFencesTest.fillingPassesAFenceBetweenTheIndexAndTheRing",
              "MemoryFencesTest.aFenceIsAFullFence",
              "RingRaceIT.aConcurrentChangeOrReadSeesTheOther",
              "RingRaceIT.noViewOlderThanAnAppliedChangeIsKept"),
          of(
              "I6",
              "every view that a change may alter is found",
              "PredicateIndexTest.everyViewThatMayDifferIsFound",
              "PredicateIndexTest.everyViewAtOrBelowASubtreeIsFound"),
          of(
              "I7",
              "filters match what they match in each directory, or it is not known",
              "EvaluatorIT.slapd",
              "EvaluatorIT.ds389"),
          of(
              "I8",
              "faults of the feed cost hits, and nothing else",
              HISTORIES,
              "FeedLossIT.aCutFeedResumesFromItsPosition",
              "FeedLossIT.noResultOutlivesAKilledServer",
              "FeedLossIT.aServerBehindItsFeedIsResynced",
              "SyncReplSessionTest.messagesInAnyOrderNeverOvertakeTheirCookie",
              "AuditorIT.aResultWhoseChangeTheFeedMissedIsFoundAndDropped",
              "SimulatorTest.theAuditFindsChangesMissedByAFeed"),
          of(
              "I9",
              "what was told and undone does not stay",
              HISTORIES,
              "FeedTreeIT.aTransactionThatIsAbortedLeavesNothing",
              "PhantomIT.aPhantomIsServedOnlyForAMoment",
              "LongTransactionIT.aReadDuringALongTransactionIsNotKept",
              "CoherenceDomainTest.aPhantomIsNotTakenForAHiddenEntry"),
          of(
              "I10",
              "nobody is shown what the directory would not show him",
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
              "a class of which a member is given something else is demoted",
              "SharingClassIT.anIncorrectClassIsDemotedAfterFewWrongAnswers",
              "SharingClassIT.aMemberWithFewerRightsGetsOneWrongAnswer",
              "VerifierTest.aMemberThatBeginsToDeviateIsHeldWithinTheSampleRate",
              "AuditorIT.anIdleMemberWithFewerRightsIsFoundByTheAudit"),
          of(
              "I12",
              "what follows from groups is not older than its bound",
              HISTORIES,
              ONE,
              DS389,
              "DerivedDifferentialIT.derivedAnswersEqualTheDirectory",
              "MemberOfIT.directGroupChangesAreSeenWithinTheBound",
              "MemberOfIT.groupChangesThroughStoaAreSeenAtOnce",
              "FeedTreeIT.operationalAttributesExpireByAge"),
          of(
              "I13",
              "no name is served that a renamed subtree had",
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
              "a feed that is silent vouches for nothing",
              HISTORIES,
              "CoherenceLeaseTest.aLiveLeaseCoversEveryWriteOlderThanTheBound",
              "CoherenceLeaseTest.isNotLiveAfterAPause",
              "FeedLossIT.aSilentFeedGrantsNoLease",
              "FeedLossIT.resultsOfAFrozenServerDoNotOutliveTheLease"),
          of(
              "I18",
              "updates take few of the hits",
              "ExperimentsIT.coherenceBenefit",
              "IncrementalUpdateIT.uniformResultsAreUpdatedInPlaceAsSlapdAnswers",
              "AclChangeIT.changesOfEntriesInNoGroupInvalidateNothing",
              "SubtreeInvalidationTest.aViewOfAnOddNameHarmsNoOtherView"),
          of(
              "I19",
              "memory is bounded, and nothing is left of what has gone",
              HISTORIES,
              "IndexLeakTest.unregisteredViewsLeaveNothing",
              "ViewTest.leavesNothingInTheIndexInAnyOrder",
              "LastCsnTest.oldChangesAreForgotten",
              "ChangeRingBoundsTest.staysWithinItsMemoryLimit"),
          of(
              "I20",
              "nothing outlives a write whose outcome is not known",
              HISTORIES,
              "UnknownOutcomeIT.aWriteOfUnknownOutcomeInvalidates",
              "UnknownOutcomeFeedIT.resultsOnAFeedAreDroppedAfterAnUnknownOutcome"));

  /** Each is put into a copy of Stoa. */
  static final List<Promise> BUGS =
      List.of(
          bug("the ring of changes is not looked at", "I1", "NO_RING_SCAN"),
          Promise.of(
              "the fence is left out",
              "",
              "I5",
              "RingRaceTest.aChangeIsMissedWithoutEitherFence",
              "MemoryFencesTest.applyingPassesAFenceBetweenTheRingAndTheIndex",
              "MemoryFencesTest.fillingPassesAFenceBetweenTheIndexAndTheRing",
              "MemoryFencesTest.aFenceIsAFullFence"),
          bug("positions are trusted, whatever is shown", "I1, I9", "POSITIONS_ONLY"),
          bug("the time to settle is left out", "I1", "NO_SETTLING"),
          bug("a long transaction is taken for over", "I1", "NO_TRANSACTIONS"),
          bug("a renamed subtree is taken for one entry", "I13", "NO_SUBTREES"),
          Promise.of(
              "what has nothing below it when it is looked at had nothing when it was renamed,"
                  + " `TRUSTED_EMPTY_SUBTREES`",
              "",
              "I2, I13",
              MUTANTS,
              "SubtreeInvalidationTest.entriesBelowTheFormerNameOfALeafAreInvalidated",
              "FillValidatorTest.entriesBelowTheFormerNameOfALeafAreUnsure"),
          bug("two identities share what they see", "I10", "TWO_IDENTITIES_ARE_ONE"),
          bug("all identities do", "I10", "NO_IDENTITIES"),
          bug("who asks after a write waits for an older search", "I2", "NO_NEW_SEARCHES"),
          bug("own writes are left to the feed", "I2", "NO_OWN_WRITES"),
          bug("own writes that have no place in the feed's order are", "I2", "NO_UNPLACED"),
          bug("a server's first word after a write is its last", "I2", "NO_PENDING"),
          bug("sessions do not matter to the choice of a server", "I2", "NO_SESSIONS"),
          bug("what a session has seen is not remembered", "I3", "NO_SEEN_WRITES"),
          bug("a feed is believed however old its word is", "I17", "NO_LEASE"),
          bug("gaps of the feed do not matter", "I8", "NO_GAPS"),
          bug("what was changed in place is not looked at again", "I9", "NO_CONFIRMING"),
          bug("what the feed shows is given to whoever asks", "I10", "ALL_UNIFORM"),
          bug("what is to be changed in place is not", "I1", "NO_UPDATES_IN_PLACE"),
          bug("what has died stays in the index", "I19", "NO_LEAVING"),
          bug("unknown outcomes do not matter", "I20", "NO_UNKNOWN_OUTCOMES"),
          bug("changes void nothing that rests on its age", "I1", "NO_EPOCHS"),
          Promise.of(
              "an entry is given to searches of another form",
              "",
              "I1",
              "DifferentialFuzzIT.aBugThatIsPutInIsFound",
              SHARED),
          bug("nothing becomes too old", "I1", "NO_AGE"));

  private Invariants() {}

  private static Promise of(String number, String what, String... tests) {
    return Promise.of(number, "", what, tests);
  }

  private static Promise bug(String what, String breaks, String mutant) {
    return Promise.of(what + ", `" + mutant + "`", "", breaks, MUTANTS);
  }
}
