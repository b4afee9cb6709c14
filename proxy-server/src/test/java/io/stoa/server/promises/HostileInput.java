// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import java.util.List;

/** What clients and servers may send that is wrong, endless or malicious. Immutable. */
final class HostileInput {
  static final List<Promise> ALL =
      List.of(
          Promise.of(
              "Indefinite lengths, lengths of gigabytes, what is no LDAPMessage",
              "",
              "Notice of Disconnection; no memory is taken for what was only claimed",
              "HostileClientIT.octetsThatAreNoLdapMessageAreRefused",
              "HostileClientIT.claimedLengthsCostNoMemory"),
          Promise.of(
              "Lengths in more octets than they need",
              "",
              "accepted, and the same request as without",
              "HostileClientIT.lengthsThatAreNotMinimalAreAccepted",
              "ClientTraceIT.oneLookupInManyWordingsIsReadOnce"),
          Promise.of(
              "A request octet by octet, one that never ends, 10,000 connections without an octet",
              "",
              "a deadline for each request; others are served",
              "HostileClientIT.aDrippingRequestTimesOut",
              "HostileClientIT.anIncompleteRequestTimesOut",
              "HostileClientIT.silentConnectionsDoNotBlockOthers"),
          Promise.of(
              "Requests just below and above the size limit",
              "",
              "one limit before the bind, a larger one after it, as slapd has them",
              "HostileClientIT.aRequestBelowTheLimitOfAnAnonymousClientIsServed",
              "HostileClientIT.aRequestAboveTheLimitOfAnAnonymousClientIsRefused",
              "HostileClientIT.aBoundClientHasTheLargerLimit"),
          Promise.of(
              "Filters of 50,000 levels, of 100,000 terms; 10,000 attributes",
              "",
              "served, or refused by depth; no stack overflows",
              "HostileClientIT.aFilterAsDeepAsTheDirectoryTakesIsServed",
              "HostileClientIT.aFilterThatIsTooDeepIsRefused",
              "HostileClientIT.aFilterOfHundredThousandTermsIsServed",
              "HostileClientIT.tenThousandAttributesAreServed"),
          Promise.of(
              "Requests for `cn=monitor` or `cn=configuration` with the largest filter, where there"
                  + " are thousands of connections or values",
              "",
              "the answer is found beside the event loops, within 10 s and the time limit of the"
                  + " request, and delays no other client; Abandon stops it",
              "OwnAnswersIT.noOtherClientOfTheEventLoopWaits",
              "OwnAnswersIT.theTimeLimitOfTheRequestHolds",
              "OwnAnswersIT.abandonAndDisconnectStopAnAnswer",
              "OwnAnswersIT.answersBeyondTheQueueLimitAreRefused",
              "OwnAnswersIT.aRebindEndsTheAdministratorsAnswers"),
          Promise.of(
              "A client never reads an answer of 100 MB",
              "",
              "the memory held for it is bounded, and other clients go on",
              "HostileClientFlowIT.aClientThatNeverReadsDoesNotBlockOthers"),
          Promise.of(
              "Ten clients never read large answers of a slapd with four threads, each of which"
                  + " waits for a client that does not read",
              "",
              "Stoa reads on into a bounded buffer, and disconnects them: the first after one to"
                  + " ten seconds, all within seconds; others are answered, later by these seconds"
                  + " at worst. Behind passthrough listeners and SASL layers only `writeTimeout`"
                  + " ends them",
              "SlowReadersIT.clientsThatNeverReadDoNotTakeTheThreadsOfTheServer"),
          Promise.of(
              "A client never reads, and the answer to a write of another client comes on the same"
                  + " connection of Stoa",
              "",
              "the connection is read on for the write, and the client that does not read is"
                  + " disconnected",
              "SlowReadersIT.aWriteIsAnsweredBesideAClientThatNeverReads"),
          Promise.of(
              "10,000 searches at once and a reset; Unbind in the middle; half-closed, and read on",
              "",
              "nothing is left over, and no answer goes astray",
              "HostileClientFlowIT.aResetWithTenThousandSearchesInFlightLeavesNothing",
              "HostileClientFlowIT.unbindInTheMiddleEndsTheConnection",
              "HostileClientFlowIT.aClientThatHasFinishedSendingGetsOnlyItsOwnAnswers",
              "StoppedSearchIT.aLostClientStopsItsSearch",
              "StoppedSearchIT.aHalfClosedConnectionIsClosedAndItsSearchStopped"),
          Promise.of(
              "Many requests in one segment, one in many, split anywhere",
              "",
              "the same answers",
              "HostileClientFlowIT.requestsMayArriveInOneSegment",
              "HostileClientFlowIT.aRequestMayArriveOctetByOctet",
              "HostileClientFlowIT.aRequestMayBeSplitAnywhere"),
          Promise.of(
              "messageIDs that are 0, negative, too large, in five octets, or in flight already",
              "",
              "Notice of Disconnection; never an answer under another ID",
              "HostileClientIT.everyLegalMessageIdComesBack",
              "HostileClientIT.messageIdsOutsideTheProtocolAreRefused",
              "HostileClientIT.aMessageIdThatIsInFlightIsRefused"),
          Promise.of(
              "Unknown operations, and responses from a client",
              "",
              "Notice of Disconnection",
              "HostileClientIT.operationsThatNoClientMaySendAreRefused"),
          Promise.of(
              "Binds of other versions, of no known method, of an empty SASL mechanism",
              "",
              "protocolError or authMethodNotSupported, as slapd says it",
              "HostileClientIT.bindVersionsAreJudgedByTheDirectory",
              "HostileClientIT.unknownAuthenticationMethodsAreRefused",
              "SaslIT.anEmptyMechanismAbortsTheExchange"),
          Promise.of(
              "SASL EXTERNAL in any spelling and any form, which would name Stoa where Stoa"
                  + " connects by a local socket or with a certificate",
              "",
              "never forwarded: a rule about its own connection gives the client its identity, or"
                  + " the bind fails",
              "HostileClientIT.externalIsNeverForwardedInAnySpelling",
              "ExternalClientsIT.noClientActsAsStoasAccount",
              "ExternalBindIT.aClientMayNameOnlyItself",
              "ExternalBindIT.aPeerThatMatchesNoRuleIsRefused"),
          Promise.of(
              "Controls in any encoding, and a proxied authorization of the client's own, where"
                  + " Stoa acts for its clients",
              "",
              "nothing reaches a connection of the service account but in its client's name",
              "ProxiedControlsFuzzIT.everyRequestNamesItsClient"),
          Promise.of(
              "A SASL bind without an end, or that is not continued",
              "",
              "the client is disconnected, and other clients still get in",
              "SaslUpstreamIT.stepsWithoutEndAreEnded",
              "SaslUpstreamIT.anIdleSaslExchangeIsDisconnected",
              "SaslUpstreamIT.idleSaslExchangesMakeRoomForOthers"),
          Promise.of(
              "StartTLS with more in the same segment, twice, or while a search is outstanding",
              "",
              "what followed is thrown away; operationsError",
              "StartTlsIT.requestsInTheSameSegmentAreDiscarded",
              "StartTlsIT.requestsQueuedBehindABindAreDiscarded",
              "StartTlsIT.aSecondStartTlsIsRefused",
              "StartTlsIT.startTlsIsRefusedDuringASearch",
              "StartTlsIT.startTlsIsRefusedDuringASaslExchange"),
          Promise.of(
              "TLS on the port for LDAP, LDAP on the port for TLS, nothing on either",
              "",
              "the connection ends; others are served",
              "StartTlsIT.anUnrequestedTlsHandshakeIsNoLdap",
              "TlsIT.plainLdapAtATlsListenerEndsTheConnection",
              "TlsIT.aThousandSilentConnectionsDoNotBlockOthers"),
          Promise.of(
              "A PROXY header from an untrusted sender, or none from a trusted one",
              "",
              "the connection ends",
              "ListenerIT.aProxyHeaderOfAnUntrustedPeerIsNoLdap",
              "ListenerIT.aConnectionWithoutAProxyHeaderIsClosed"),
          Promise.of(
              "A server refuses, hangs on connect, is silent, closes in the middle of an entry,"
                  + " says goodbye, answers an unknown messageID, sends entries after the result",
              "",
              "unavailable or busy, or asked elsewhere; nothing of it is kept",
              "HostileUpstreamIT.anUpstreamThatRefusesIsUnavailable",
              "HostileUpstreamIT.anUpstreamThatHangsOnConnectIsUnavailable",
              "HostileUpstreamIT.aSearchAtASilentUpstreamTimesOut",
              "HostileUpstreamIT.aTruncatedEntryIsNotCached",
              "HostileUpstreamIT.aNoticeOfDisconnectionIsNotAnAnswer",
              "HostileUpstreamIT.aNoticeOfDisconnectionFailsOnlyOperationsInFlight",
              "HostileUpstreamIT.anAnswerWithAnUnknownMessageIdIsDropped",
              "HostileUpstreamIT.entriesAfterTheResultAreDropped"),
          Promise.of(
              "A server sends a malformed entry while its answer is being kept",
              "",
              "it is not kept",
              "HostileUpstreamIT.aMalformedEntryIsNotCached",
              "HostileUpstreamIT.octetsThatAreNoLdapMessageAreNotCached"),
          Promise.of(
              "A client dies in the middle of a bind",
              "",
              "no other client becomes that identity",
              "HostileClientFlowIT.aBindOfADeadClientBindsNoOtherClient"),
          Promise.of(
              "200 identities, the same messageIDs, the same search, which answers each with a"
                  + " secret of its own",
              "",
              "everybody gets their own",
              "HostileClientFlowIT.twoHundredIdentitiesWithTheSameIdsGetTheirOwnAnswers"));

  private HostileInput() {}
}
