// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import java.util.List;

/** Wrong, endless or malicious input of clients and servers. Threading: immutable. */
final class HostileInput {
  static final List<Promise> ALL =
      List.of(
          Promise.of(
              "Indefinite lengths, lengths of gigabytes, octets that are no LDAPMessage",
              "",
              "Stoa sends a Notice of Disconnection. Memory is allocated for received octets only.",
              "HostileClientIT.octetsThatAreNoLdapMessageAreRefused",
              "HostileClientIT.claimedLengthsCostNoMemory"),
          Promise.of(
              "Lengths in more octets than they need",
              "",
              "Stoa accepts them. The request equals the one with minimal lengths.",
              "HostileClientIT.lengthsThatAreNotMinimalAreAccepted",
              "ClientTraceIT.oneLookupInManyWordingsIsReadOnce"),
          Promise.of(
              "Requests that arrive octet by octet or never end; 10,000 silent connections",
              "",
              "Each request has a deadline; other clients are served.",
              "HostileClientIT.aDrippingRequestTimesOut",
              "HostileClientIT.anIncompleteRequestTimesOut",
              "HostileClientIT.silentConnectionsDoNotBlockOthers"),
          Promise.of(
              "Requests just below and above the size limit",
              "",
              "Stoa has one limit before the bind and a larger one after it, as slapd has.",
              "HostileClientIT.aRequestBelowTheLimitOfAnAnonymousClientIsServed",
              "HostileClientIT.aRequestAboveTheLimitOfAnAnonymousClientIsRefused",
              "HostileClientIT.aBoundClientHasTheLargerLimit"),
          Promise.of(
              "Filters of 50,000 levels, of 100,000 terms; 10,000 attributes",
              "",
              "Stoa serves them, or refuses them by depth; no stack overflows.",
              "HostileClientIT.aFilterAsDeepAsTheDirectoryTakesIsServed",
              "HostileClientIT.aFilterThatIsTooDeepIsRefused",
              "HostileClientIT.aFilterOfHundredThousandTermsIsServed",
              "HostileClientIT.tenThousandAttributesAreServed"),
          Promise.of(
              "Requests with the largest filter for `cn=monitor` or `cn=configuration` with"
                  + " thousands of connections or values",
              "",
              "Stoa computes the answer beside the event loops, within 10 s and the time limit of"
                  + " the request. Other clients do not wait, and Abandon stops it.",
              "OwnAnswersIT.noOtherClientOfTheEventLoopWaits",
              "OwnAnswersIT.theTimeLimitOfTheRequestHolds",
              "OwnAnswersIT.abandonAndDisconnectStopAnAnswer",
              "OwnAnswersIT.answersBeyondTheQueueLimitAreRefused",
              "OwnAnswersIT.aRebindEndsTheAdministratorsAnswers"),
          Promise.of(
              "A client never reads an answer of 100 MB",
              "",
              "The memory held for the client is bounded, and other clients are served.",
              "HostileClientFlowIT.aClientThatNeverReadsDoesNotBlockOthers"),
          Promise.of(
              "Ten clients never read large answers of a slapd, whose four threads each wait for"
                  + " such a client",
              "",
              "Stoa reads on into a bounded buffer, and disconnects these clients: the first after"
                  + " one to ten seconds, the others within seconds. Other clients are answered, at"
                  + " worst these seconds later. Behind passthrough listeners and SASL layers only"
                  + " `limits.writeTimeout` ends them.",
              "SlowReadersIT.clientsThatNeverReadDoNotTakeTheThreadsOfTheServer"),
          Promise.of(
              "A client never reads, and the answer to another client's write comes on the same"
                  + " connection from the server",
              "",
              "Stoa reads on for the write, and disconnects the client that does not read.",
              "SlowReadersIT.aWriteIsAnsweredBesideAClientThatNeverReads"),
          Promise.of(
              "10,000 searches and then a reset; Unbind during searches; half-closed connections",
              "",
              "Nothing is left over, and no answer reaches another client.",
              "HostileClientFlowIT.aResetWithTenThousandSearchesInFlightLeavesNothing",
              "HostileClientFlowIT.unbindInTheMiddleEndsTheConnection",
              "HostileClientFlowIT.aClientThatHasFinishedSendingGetsOnlyItsOwnAnswers",
              "StoppedSearchIT.aLostClientStopsItsSearch",
              "StoppedSearchIT.aHalfClosedConnectionIsClosedAndItsSearchStopped"),
          Promise.of(
              "Many requests in one segment; one request in many segments, split anywhere",
              "",
              "The answers are the same.",
              "HostileClientFlowIT.requestsMayArriveInOneSegment",
              "HostileClientFlowIT.aRequestMayArriveOctetByOctet",
              "HostileClientFlowIT.aRequestMayBeSplitAnywhere"),
          Promise.of(
              "messageIDs that are 0, negative, too large, in five octets, or already in flight",
              "",
              "Stoa sends a Notice of Disconnection, and never an answer with another messageID.",
              "HostileClientIT.everyLegalMessageIdComesBack",
              "HostileClientIT.messageIdsOutsideTheProtocolAreRefused",
              "HostileClientIT.aMessageIdThatIsInFlightIsRefused"),
          Promise.of(
              "Unknown operations, and responses from a client",
              "",
              "Stoa sends a Notice of Disconnection.",
              "HostileClientIT.operationsThatNoClientMaySendAreRefused"),
          Promise.of(
              "Binds with another version, an unknown method or an empty SASL mechanism",
              "",
              "Stoa answers protocolError or authMethodNotSupported, as slapd does.",
              "HostileClientIT.bindVersionsAreJudgedByTheDirectory",
              "HostileClientIT.unknownAuthenticationMethodsAreRefused",
              "SaslIT.anEmptyMechanismAbortsTheExchange"),
          Promise.of(
              "SASL EXTERNAL in any spelling: a directory would identify Stoa by its local socket"
                  + " or certificate",
              "",
              "Stoa never forwards the mechanism. A rule about the client's own connection gives"
                  + " the identity, or the bind fails.",
              "HostileClientIT.externalIsNeverForwardedInAnySpelling",
              "ExternalClientsIT.noClientActsAsStoasAccount",
              "ExternalBindIT.aClientMayNameOnlyItself",
              "ExternalBindIT.aPeerThatMatchesNoRuleIsRefused"),
          Promise.of(
              "Controls in any encoding, and a client's own control of proxied authorization, in"
                  + " proxied mode",
              "",
              "Every request on a connection of the service account names its client.",
              "ProxiedControlsFuzzIT.everyRequestNamesItsClient"),
          Promise.of(
              "A SASL bind that never ends, or that the client does not continue",
              "",
              "Stoa disconnects the client. Other clients can bind meanwhile.",
              "SaslUpstreamIT.stepsWithoutEndAreEnded",
              "SaslUpstreamIT.anIdleSaslExchangeIsDisconnected",
              "SaslUpstreamIT.idleSaslExchangesMakeRoomForOthers"),
          Promise.of(
              "StartTLS with further requests in the same segment, twice, or during a search",
              "",
              "Stoa discards the octets that follow in the segment. In the other cases it answers"
                  + " operationsError.",
              "StartTlsIT.requestsInTheSameSegmentAreDiscarded",
              "StartTlsIT.requestsQueuedBehindABindAreDiscarded",
              "StartTlsIT.aSecondStartTlsIsRefused",
              "StartTlsIT.startTlsIsRefusedDuringASearch",
              "StartTlsIT.startTlsIsRefusedDuringASaslExchange"),
          Promise.of(
              "TLS on the LDAP port, LDAP on the TLS port, silence on either",
              "",
              "The connection ends; other clients are served.",
              "StartTlsIT.anUnrequestedTlsHandshakeIsNoLdap",
              "TlsIT.plainLdapAtATlsListenerEndsTheConnection",
              "TlsIT.aThousandSilentConnectionsDoNotBlockOthers"),
          Promise.of(
              "A PROXY header from an untrusted sender, or no header from a trusted one",
              "",
              "The connection ends.",
              "ListenerIT.aProxyHeaderOfAnUntrustedPeerIsNoLdap",
              "ListenerIT.aConnectionWithoutAProxyHeaderIsClosed"),
          Promise.of(
              "A server refuses, hangs on connect, is silent, closes within an entry, sends a"
                  + " Notice of Disconnection, an unknown messageID, or entries after the result",
              "",
              "Another server gets the request, or the client gets unavailable or busy. Nothing of"
                  + " the answer is stored.",
              "HostileUpstreamIT.anUpstreamThatRefusesIsUnavailable",
              "HostileUpstreamIT.anUpstreamThatHangsOnConnectIsUnavailable",
              "HostileUpstreamIT.aSearchAtASilentUpstreamTimesOut",
              "HostileUpstreamIT.aTruncatedEntryIsNotCached",
              "HostileUpstreamIT.aNoticeOfDisconnectionIsNotAnAnswer",
              "HostileUpstreamIT.aNoticeOfDisconnectionFailsOnlyOperationsInFlight",
              "HostileUpstreamIT.anAnswerWithAnUnknownMessageIdIsDropped",
              "HostileUpstreamIT.entriesAfterTheResultAreDropped"),
          Promise.of(
              "A server sends a malformed entry in an answer that Stoa would store",
              "",
              "The answer is not stored.",
              "HostileUpstreamIT.aMalformedEntryIsNotCached",
              "HostileUpstreamIT.octetsThatAreNoLdapMessageAreNotCached"),
          Promise.of(
              "A client dies in the middle of a bind",
              "",
              "No other client gets that identity.",
              "HostileClientFlowIT.aBindOfADeadClientBindsNoOtherClient"),
          Promise.of(
              "200 identities use the same messageIDs and the same search, whose answer holds a"
                  + " secret of each",
              "",
              "Each identity receives its own answer.",
              "HostileClientFlowIT.twoHundredIdentitiesWithTheSameIdsGetTheirOwnAnswers"));

  private HostileInput() {}
}
