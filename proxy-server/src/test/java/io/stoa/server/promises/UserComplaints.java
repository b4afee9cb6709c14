// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import java.util.List;

/** What users of LDAP proxies and caches have complained about, in public. Immutable. */
final class UserComplaints {
  static final List<Promise> ALL =
      List.of(
          Promise.of(
              "An old password still works after it was changed",
              "goauthentik/authentik#12294",
              "every bind goes to the directory; none is answered from memory",
              "PasswordIT.anOldPasswordIsRefusedAtOnce",
              "PasswordIT.anOldPasswordThatWasChangedBehindStoaIsRefusedAtOnce"),
          Promise.of(
              "A failed bind is remembered and beats the right password",
              "goauthentik/authentik#24582",
              "nor is a failure kept",
              "PasswordIT.aFailedBindNeverBeatsTheRightPassword"),
          Promise.of(
              "A user removed from a group still gets in",
              "kvspb/nginx-auth-ldap#141, authelia#910",
              "a removal through Stoa is seen at once, any other within `maxAge`",
              "GroupMembershipIT.aRemovalThroughStoaIsSeenAtOnce",
              "GroupMembershipIT.aRemovalBehindStoaIsSeenAfterMaxAge"),
          Promise.of(
              "Kerberos fails behind a name of its own",
              "cyrusimap/cyrus-sasl#494, stackabletech/opa-operator#718",
              "the steps pass as they are: it works if the directory takes tickets for the name that"
                  + " the client uses",
              "KerberosIT.theClientHasTheDirectorysIdentity",
              "KerberosIT.aTicketForStoasNameIsGoodWhereEveryNameOfTheKeytabIs",
              "KerberosIT.aTicketForAnyKeytabNameIsAcceptedByDs389",
              "ActiveDirectoryIT.aKerberosClientHasTheDirectorysIdentity",
              "KerberosIT.requestsUnderALayerBypassTheCache"),
          Promise.of(
              "Channel binding fails, because TLS ends at the proxy",
              "ruby-net-ldap#339, ldapsdk#74",
              "a `passthrough` listener hands the TLS connection itself to the directory",
              "TlsPassthroughIT.theClientSeesTheDirectoryItself",
              "TlsPassthroughIT.aClientBindsToTheChannel",
              "TlsPassthroughIT.aClientBindsByItsCertificate"),
          Promise.of(
              "The health check takes every server for dead: lengths in another form, anonymous"
                  + " searches refused",
              "haproxy/haproxy#1390, #1443",
              "any answer is a sign of life; and HAProxy's check finds Stoa alive, whichever lengths the"
                  + " directory writes",
              "ProbeIT.aDirectoryWithLongFormLengthsIsUp",
              "ProbeIT.aDirectoryThatRefusesAnonymousSearchesIsUp",
              "HostileUpstreamIT.aSilentUpstreamIsNotReady",
              "HealthCheckIT.haproxyFindsStoaAlive",
              "HealthCheckIT.haproxyFindsStoaAliveInFrontOfLongFormLengths"),
          Promise.of(
              "A paging cookie is refused after a failover or on another connection",
              "OpenLiberty/open-liberty#1047, ldapjs#578",
              "pages of what may be held are cut by Stoa, and go on when the directory is lost; a"
                  + " cookie that is not good gets a clean error",
              "PagingIT.allPagesArriveThoughSlapdIsKilled",
              "ActiveDirectoryIT.pagesGoOnWhenTheDirectoryIsLost",
              "PagingIT.aCookieIsGoodOnceOnItsConnectionForItsSearchAndIdentity"),
          Promise.of(
              "The directory ends an idle connection, and the client never connects again",
              "rabbitmq-auth-backend-ldap#81, cassandra-ldap#1",
              "the connection is made and bound anew; the client notices nothing",
              "IdleUpstreamIT.anIdleConnectionThatTheDirectoryEndsIsMadeAnew",
              "UpstreamLifeIT.aConnectionWithStateIsKeptAlive"),
          Promise.of(
              "Connections in a pool never end, until the server ends them",
              "ldapsdk#161",
              "an idle one is closed politely before",
              "UpstreamLifeIT.anIdleConnectionIsClosedPolitelyAndMadeAgain"),
          Promise.of(
              "The directory sees the load balancer's address instead of the client's",
              "OpenDJ#585, ltb-project/slapd-cli#63",
              "the PROXY protocol or the session tracking control tells it",
              "ListenerIT.theProxyHeaderNamesTheClientAddress",
              "SessionTrackingIT.slapdLogsTheClientsIdentity",
              "ProxyProtocolOutIT.aDedicatedConnectionCarriesItsClientsAddress"),
          Promise.of(
              "The far half of a connection is lost, and requests vanish",
              "elasticsearch-readonlyrest-plugin#319, kvspb/nginx-auth-ldap#51",
              "an operation has a deadline, and no other goes the same way",
              "SwallowedRequestsIT.aConnectionThatSwallowsRequestsIsNotUsedAgain",
              "HostileUpstreamIT.aSearchAtASilentUpstreamTimesOut"),
          Promise.of(
              "Long-lived clients pile up on a few servers",
              "OpenLDAP's lloadd, LDAPCon 2017",
              "each read goes to the server with least to do, whichever connection it came by",
              "PrimaryIT.readsGoToTheServerWithLessToDo"),
          Promise.of(
              "Storms of binds: two to four for each login",
              "owncloud/core#14834, librenms#7468",
              "a login costs the directory the bind that it must check, and none for Stoa's sake;"
                  + " the lookups around it come from memory",
              "ManyClientsIT.fiveThousandIdentitiesLogInAndSearch",
              "ClientTraceIT.equalLookupsHit"),
          Promise.of(
              "A new entry is not found on another replica",
              "keycloak/keycloak#29206, scimgateway#168",
              "reads follow a write to the primary for `writeCoherence`",
              "WriteCoherenceIT.anAddedEntryIsFoundThoughItsAbsenceWasCached",
              "PrimaryIT.readsAfterAWriteGoToThePrimary"),
          Promise.of(
              "Reads to replicas and writes to the master need a client that knows both",
              "GluuFederation/oxCore#10, spring-ldap#498",
              "one address: writes go to the primary, reads to any",
              "PrimaryIT.writesGoToThePrimary",
              "PrimaryIT.aWriteIsNotSentToAReplicaWhenThePrimaryIsDown"),
          Promise.of(
              "Active Directory's references are chased anonymously, and the search fails",
              "django-auth-ldap#305, galaxy_ng PR#1636",
              "`referrals: hide` leaves them out",
              "ReferralsIT.referencesAreHiddenAndTheRestIsCached"),
          Promise.of(
              "Groups of more than 1500 members look empty: they come in ranges",
              "ldapjs#582, owncloud/core#20274",
              "`mergeRanges: true` puts them together, and the whole is cached",
              "AttributeRangesIT.allRangesAreMergedAndCached",
              "AttributeRangesIT.aGroupOfAHundredThousandIsMerged",
              "ActiveDirectoryIT.rangesEqualTheDirectorys"),
          Promise.of(
              "Searches for nested groups take minutes, and everybody asks them",
              "Novell.Directory.Ldap#112, Adldap2#691",
              "equal searches share one of the directory's, and its answer is kept",
              "SharedSearchIT.equalNestedGroupSearchesAreSentOnce",
              "WriteCoherenceIT.equalSearchesShareOneFillWithoutWrites"),
          Promise.of(
              "One dead server hangs every search",
              "TremoloSecurity/MyVirtualDirectory#57",
              "what a server leaves unanswered keeps further operations away from it",
              "SwallowedRequestsIT.aSilentServerDoesNotBlockTheOthers",
              "HostileUpstreamIT.anUpstreamThatHangsOnConnectIsUnavailable"),
          Promise.of(
              "More than one bind on a connection breaks the proxy",
              "privacyidea-ldap-proxy#30, #6",
              "a bind resets all state of the connection",
              "RebindIT.eachClientHasItsOwnIdentity",
              "RebindIT.aRebindResetsTheSessionState"),
          Promise.of(
              "The cache is on, and the directory still sees every search",
              "kvspb/nginx-auth-ldap#228",
              "what differs without changing the answer (time limits, length octets, the order of"
                  + " attributes) makes no other lookup; `cn=monitor` counts hits and misses",
              "ClientTraceIT.equalLookupsHit",
              "ClientTraceIT.oneLookupInManyWordingsIsReadOnce",
              "ClientTraceIT.aConnectionForEachRequestReadsTheSchemaFromMemory"),
          Promise.of(
              "The page of an administrator must see the directory itself",
              "nextcloud/server#2330",
              "Don't Use Copy (RFC 6171) is honoured, and subtrees can be excluded",
              "NoCacheIT.aSearchWithDontUseCopyReachesTheDirectory",
              "NoCacheIT.anExcludedSubtreeIsAlwaysReadFromTheDirectory"),
          Promise.of(
              "A name with an empty password counts as that name",
              "nginx-ldap-auth#5",
              "it is anonymous, or refused, as the directory has it",
              "PasswordIT.anAcceptedEmptyPasswordIsAnonymous",
              "PasswordIT.anEmptyPasswordIsRefusedAsByTheDirectory"),
          Promise.of(
              "The client abandons a search, and the directory goes on with it",
              "Sun DSEE 6.0, 6492361",
              "the directory is told when the last one that waits has gone",
              "SharedSearchIT.aSharedSearchIsAbandonedWhenItsLastClientLeaves",
              "SharedSearchIT.aSharedSearchIsAbandonedWhenTheJoinedClientLeavesLast",
              "SharedSearchIT.aSharedSearchContinuesForTheRemainingClient",
              "MessageIdIT.abandonUsesTheUpstreamMessageId",
              "MessageIdIT.aClientThatLeavesHasItsSearchesAbandoned",
              "StoppedSearchIT.anAbandonStopsTheSearch",
              "StoppedSearchIT.aCancelStopsTheSearchAndBothAreAnswered",
              "StoppedSearchIT.anEndlessSearchEndsWithItsClient"));

  private UserComplaints() {}
}
