// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import java.util.List;

/** Public complaints of users of LDAP proxies and caches. Threading: immutable. */
final class UserComplaints {
  static final List<Promise> ALL =
      List.of(
          Promise.of(
              "An old password still works after it was changed",
              "goauthentik/authentik#12294",
              "Every bind goes to the directory; none is answered from memory.",
              "PasswordIT.anOldPasswordIsRefusedAtOnce",
              "PasswordIT.anOldPasswordThatWasChangedBehindStoaIsRefusedAtOnce"),
          Promise.of(
              "A failed bind is remembered and beats the right password",
              "goauthentik/authentik#24582",
              "Stoa stores no failed bind.",
              "PasswordIT.aFailedBindNeverBeatsTheRightPassword"),
          Promise.of(
              "A user removed from a group still gets in",
              "kvspb/nginx-auth-ldap#141, authelia#910",
              "A removal through Stoa takes effect at once. Without a feed, any other removal takes"
                  + " effect within `cache.maxAge`.",
              "GroupMembershipIT.aRemovalThroughStoaIsSeenAtOnce",
              "GroupMembershipIT.aRemovalBehindStoaIsSeenAfterMaxAge"),
          Promise.of(
              "Kerberos fails because the proxy has a name of its own",
              "cyrusimap/cyrus-sasl#494, stackabletech/opa-operator#718",
              "Stoa forwards the steps unchanged. Kerberos works if the directory accepts tickets"
                  + " for the name that the client uses.",
              "KerberosIT.theClientHasTheDirectorysIdentity",
              "KerberosIT.aTicketForStoasNameIsGoodWhereEveryNameOfTheKeytabIs",
              "KerberosIT.aTicketForAnyKeytabNameIsAcceptedByDs389",
              "ActiveDirectoryIT.aKerberosClientHasTheDirectorysIdentity",
              "KerberosIT.requestsUnderALayerBypassTheCache"),
          Promise.of(
              "Channel binding fails, because TLS ends at the proxy",
              "ruby-net-ldap#339, ldapsdk#74",
              "A `passthrough` listener forwards the TLS connection to the directory unread.",
              "TlsPassthroughIT.theClientSeesTheDirectoryItself",
              "TlsPassthroughIT.aClientBindsToTheChannel",
              "TlsPassthroughIT.aClientBindsByItsCertificate"),
          Promise.of(
              "Health checks report servers as down that use long-form lengths or refuse anonymous"
                  + " searches",
              "haproxy/haproxy#1390, #1443",
              "Any answer proves that a server is up. HAProxy's check finds Stoa up, whatever form"
                  + " of lengths the directory uses.",
              "ProbeIT.aDirectoryWithLongFormLengthsIsUp",
              "ProbeIT.aDirectoryThatRefusesAnonymousSearchesIsUp",
              "HostileUpstreamIT.aSilentUpstreamIsNotReady",
              "HealthCheckIT.haproxyFindsStoaAlive",
              "HealthCheckIT.haproxyFindsStoaAliveInFrontOfLongFormLengths"),
          Promise.of(
              "A paging cookie is refused after a failover or on another connection",
              "OpenLiberty/open-liberty#1047, ldapjs#578",
              "Stoa pages cacheable results itself, so they survive the loss of a server. An"
                  + " invalid cookie gets unwillingToPerform (53).",
              "PagingIT.allPagesArriveThoughSlapdIsKilled",
              "ActiveDirectoryIT.pagesGoOnWhenTheDirectoryIsLost",
              "PagingIT.aCookieIsGoodOnceOnItsConnectionForItsSearchAndIdentity"),
          Promise.of(
              "The directory ends an idle connection, and the client never connects again",
              "rabbitmq-auth-backend-ldap#81, cassandra-ldap#1",
              "Stoa connects and binds again; the client notices nothing.",
              "IdleUpstreamIT.anIdleConnectionThatTheDirectoryEndsIsMadeAnew",
              "UpstreamLifeIT.aConnectionWithStateIsKeptAlive"),
          Promise.of(
              "Connections of a pool stay open until the server closes them",
              "ldapsdk#161",
              "Stoa closes an idle connection itself, with an Unbind.",
              "UpstreamLifeIT.anIdleConnectionIsClosedPolitelyAndMadeAgain"),
          Promise.of(
              "The directory sees the load balancer's address instead of the client's",
              "OpenDJ#585, ltb-project/slapd-cli#63",
              "The PROXY protocol or the session tracking control carries the client's address.",
              "ListenerIT.theProxyHeaderNamesTheClientAddress",
              "SessionTrackingIT.slapdLogsTheClientsIdentity",
              "ProxyProtocolOutIT.aDedicatedConnectionCarriesItsClientsAddress"),
          Promise.of(
              "A connection is lost without notice, and requests vanish",
              "elasticsearch-readonlyrest-plugin#319, kvspb/nginx-auth-ldap#51",
              "An operation has a deadline. After it the connection gets no further operations.",
              "SwallowedRequestsIT.aConnectionThatSwallowsRequestsIsNotUsedAgain",
              "HostileUpstreamIT.aSearchAtASilentUpstreamTimesOut"),
          Promise.of(
              "Long-lived clients pile up on a few servers",
              "OpenLDAP's lloadd, LDAPCon 2017",
              "Stoa chooses the server of each read by load, whichever client connection it came"
                  + " by.",
              "PrimaryIT.readsGoToTheServerWithLessToDo"),
          Promise.of(
              "Storms of binds: two to four for each login",
              "owncloud/core#14834, librenms#7468",
              "A login costs the directory one bind, the client's own. Repeated lookups around it"
                  + " come from memory.",
              "ManyClientsIT.fiveThousandIdentitiesLogInAndSearch",
              "ClientTraceIT.equalLookupsHit"),
          Promise.of(
              "A new entry is not found on another replica",
              "keycloak/keycloak#29206, scimgateway#168",
              "Reads in the naming context of a write go to the primary for"
                  + " `upstream.writeCoherence`.",
              "WriteCoherenceIT.anAddedEntryIsFoundThoughItsAbsenceWasCached",
              "PrimaryIT.readsAfterAWriteGoToThePrimary"),
          Promise.of(
              "A client must know both the replicas and the primary",
              "GluuFederation/oxCore#10, spring-ldap#498",
              "Stoa has one address. Writes go to the primary, reads to any server.",
              "PrimaryIT.writesGoToThePrimary",
              "PrimaryIT.aWriteIsNotSentToAReplicaWhenThePrimaryIsDown"),
          Promise.of(
              "Active Directory's references are chased anonymously, and the search fails",
              "django-auth-ldap#305, galaxy_ng PR#1636",
              "`referrals: hide` removes the references.",
              "ReferralsIT.referencesAreHiddenAndTheRestIsCached"),
          Promise.of(
              "Groups of more than 1500 members look empty, since their values come in ranges",
              "ldapjs#582, owncloud/core#20274",
              "`mergeRanges: true` merges the ranges, and the whole entry is cached.",
              "AttributeRangesIT.allRangesAreMergedAndCached",
              "AttributeRangesIT.aGroupOfAHundredThousandIsMerged",
              "ActiveDirectoryIT.rangesEqualTheDirectorys"),
          Promise.of(
              "Searches for nested groups take minutes, and all clients send them",
              "Novell.Directory.Ldap#112, Adldap2#691",
              "Equal searches are sent once, and the answer is cached.",
              "SharedSearchIT.equalNestedGroupSearchesAreSentOnce",
              "WriteCoherenceIT.equalSearchesShareOneFillWithoutWrites"),
          Promise.of(
              "One dead server hangs every search",
              "TremoloSecurity/MyVirtualDirectory#57",
              "A server that stops answering becomes suspect, and other servers get the searches.",
              "SwallowedRequestsIT.aSilentServerDoesNotBlockTheOthers",
              "HostileUpstreamIT.anUpstreamThatHangsOnConnectIsUnavailable"),
          Promise.of(
              "More than one bind on a connection breaks the proxy",
              "privacyidea-ldap-proxy#30, #6",
              "A bind resets all state of the connection.",
              "RebindIT.eachClientHasItsOwnIdentity",
              "RebindIT.aRebindResetsTheSessionState"),
          Promise.of(
              "The cache is on, and the directory still sees every search",
              "kvspb/nginx-auth-ldap#228",
              "Requests that differ only in time limit, length octets or order of attributes share"
                  + " one result. `cn=monitor` counts hits and misses.",
              "ClientTraceIT.equalLookupsHit",
              "ClientTraceIT.oneLookupInManyWordingsIsReadOnce",
              "ClientTraceIT.aConnectionForEachRequestReadsTheSchemaFromMemory"),
          Promise.of(
              "An administrator's page must show the directory itself",
              "nextcloud/server#2330",
              "Stoa honours Don't Use Copy (RFC 6171), and subtrees can be excluded.",
              "NoCacheIT.aSearchWithDontUseCopyReachesTheDirectory",
              "NoCacheIT.anExcludedSubtreeIsAlwaysReadFromTheDirectory"),
          Promise.of(
              "A name with an empty password counts as that name",
              "nginx-ldap-auth#5",
              "The bind is anonymous or refused, as the directory decides.",
              "PasswordIT.anAcceptedEmptyPasswordIsAnonymous",
              "PasswordIT.anEmptyPasswordIsRefusedAsByTheDirectory"),
          Promise.of(
              "The client abandons a search, and the directory continues it",
              "Sun DSEE 6.0, 6492361",
              "Stoa abandons the search when its last client leaves.",
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
