// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.server.admin.auth.AdministratorConfig;
import io.stoa.testing.Await;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code cn=monitor} as tools of OpenLDAP, lloadd and 389 Directory Server read it. */
class MonitorToolsIT {
  private static final String MONITOR = "cn=Monitor";

  /** What there are several of, or none, as a server has them. */
  private static final String NUMBERED =
      "cn=(backend|database|overlay|connection|listener) \\d+,.*";

  private static final String READER = InMemoryDirectory.person(2);

  private InMemoryDirectory directory;
  private StoaServer server;

  @BeforeEach
  void start() {
    directory = InMemoryDirectory.start(5);
    AdministratorConfig readers =
        Records.with(AdministratorConfig.DEFAULTS, "readers", List.of(READER));
    server =
        TestServers.start(
            Records.with(TestServers.config(directory.port()), "administrator", readers));
    Await.until("Stoa is ready", () -> server.proxy().status().ready());
  }

  @AfterEach
  void stop() {
    server.close();
    directory.close();
  }

  // OpenLDAP

  /** Each entry of a real slapd is there, with its object class and its attributes. */
  @Test
  void cnMonitorHasTheEntriesOfSlapd() throws LDAPException {
    try (Slapd slapd = Slapd.start(SlapdConfig.stock());
        LDAPConnection real = new LDAPConnection("127.0.0.1", slapd.port());
        LDAPConnection client = TestServers.connect(server)) {
      Map<String, SearchResultEntry> own = byName(client);
      Map<String, SearchResultEntry> theirs = byName(real);
      theirs.keySet().removeIf(dn -> dn.matches(NUMBERED));
      assertThat(theirs).hasSizeGreaterThan(45);
      assertThat(own).containsKeys(theirs.keySet().toArray(String[]::new));
      theirs.remove(MONITOR.toLowerCase(Locale.ROOT));
      theirs.forEach((dn, entry) -> assertLike(own.get(dn), entry));
      assertThat(own.get("cn=monitor").getObjectClassValues()).contains("monitorServer");
    }
  }

  /** Stoa has no overlays of which it could tell. */
  private static void assertLike(SearchResultEntry own, SearchResultEntry theirs) {
    assertThat(own.getObjectClassValues()).isEqualTo(theirs.getObjectClassValues());
    Set<String> names = names(theirs);
    if (theirs.getDN().startsWith("cn=Overlays")) {
      names.remove("monitoredinfo");
    }
    assertThat(names(own)).as(own.getDN()).isEqualTo(names);
    assertThat(own.getDN()).isEqualTo(theirs.getDN());
    assertThat(own.getAttributeValue("structuralObjectClass"))
        .isEqualTo(theirs.getAttributeValue("structuralObjectClass"));
  }

  @Test
  void listenersAndDatabasesAreAsInSlapd() throws LDAPException {
    try (Slapd slapd = Slapd.start(SlapdConfig.stock());
        LDAPConnection real = new LDAPConnection("127.0.0.1", slapd.port());
        LDAPConnection client = TestServers.connect(server)) {
      for (String name : List.of("cn=Listener 0,cn=Listeners,", "cn=Database 0,cn=Databases,")) {
        SearchResultEntry own = client.getEntry(name + MONITOR, "*", "+");
        SearchResultEntry theirs = real.getEntry(name + MONITOR, "*", "+");
        assertThat(own.getObjectClassValues()).isEqualTo(theirs.getObjectClassValues());
      }
      SearchResultEntry listener = client.getEntry("cn=Listener 0,cn=Listeners," + MONITOR, "+");
      assertThat(listener.getAttributeValue("monitorConnectionLocalAddress"))
          .isEqualTo("IP=127.0.0.1:" + TestServers.port(server));
      SearchResultEntry database = client.getEntry("cn=Database 1,cn=Databases," + MONITOR, "+");
      assertThat(database.getAttributeValue("namingContexts")).isEqualTo(InMemoryDirectory.SUFFIX);
    }
  }

  /** What a filter finds, and what an attribute list shows, is what slapd finds and shows. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "(objectClass=monitor) monitorCounter",
        "(objectClass=top) 1.1",
        "(monitorCounter=*) *",
        "(!(monitorCounter=*)) monitorOpCompleted",
        "(&(objectClass=monitorContainer)(!(cn=t*))) +",
        "(|(monitorOpInitiated>=0)(cn=uptime)) monitorcounter",
        "(!(nobodyknows=1)) *",
        "(name=waiters) OBJECTCLASS,cn",
        "(objectClass=monitorServer) monitoredInfo"
      })
  void searchesLikeSlapd(String words) throws LDAPException {
    String[] search = words.split(" ");
    try (Slapd slapd = Slapd.start(SlapdConfig.stock());
        LDAPConnection real = new LDAPConnection("127.0.0.1", slapd.port());
        LDAPConnection client = TestServers.connect(server)) {
      assertThat(attributesByEntry(client, search)).isEqualTo(attributesByEntry(real, search));
    }
  }

  /** The first entry has more in Stoa, and what there are several of differs. */
  private static Map<String, Set<String>> attributesByEntry(LDAPConnection client, String[] search)
      throws LDAPException {
    return client
        .search(MONITOR, SearchScope.SUB, search[0], search[1].split(","))
        .getSearchEntries()
        .stream()
        .filter(entry -> !entry.getDN().matches("(?i)(" + NUMBERED + "|cn=overlays,.*)"))
        .filter(
            entry ->
                !entry
                    .getDN()
                    .matches(
                        "(?i).*load balancer.*|cn=(snmp|caches|windows|feeds|maintenance|access"
                            + " classes|dc=).*"))
        .collect(
            Collectors.toMap(
                entry -> entry.getDN().toLowerCase(Locale.ROOT),
                entry ->
                    entry.getDN().equalsIgnoreCase(MONITOR) ? Set.<String>of() : names(entry)));
  }

  private static Map<String, SearchResultEntry> byName(LDAPConnection client) throws LDAPException {
    return client
        .search(MONITOR, SearchScope.SUB, "(objectClass=*)", "*", "+")
        .getSearchEntries()
        .stream()
        .filter(entry -> !entry.getDN().contains("Load Balancer"))
        .collect(
            Collectors.toMap(
                entry -> entry.getDN().toLowerCase(Locale.ROOT),
                entry -> entry,
                (one, two) -> one,
                TreeMap::new));
  }

  private static Set<String> names(SearchResultEntry entry) {
    return entry.getAttributes().stream()
        .map(attribute -> attribute.getName().toLowerCase(Locale.ROOT))
        .filter(name -> !name.startsWith("stoa"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The three searches of tomcz/openldap_exporter, which exports what it can read as a number. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cn=Monitor monitoredObject monitoredInfo 8",
        "cn=Monitor monitorCounterObject monitorCounter 9",
        "cn=Operations,cn=Monitor monitorOperation monitorOpCompleted 10"
      })
  void searchesOfTheExporter(String words) throws LDAPException {
    String[] search = words.split(" ");
    try (LDAPConnection client = TestServers.connect(server)) {
      List<SearchResultEntry> found =
          client
              .search(search[0], SearchScope.SUB, "(objectClass=" + search[1] + ")", search[2])
              .getSearchEntries();
      Set<String> numbers =
          found.stream()
              .filter(entry -> isNumber(entry.getAttributeValue(search[2])))
              .map(SearchResultEntry::getDN)
              .collect(Collectors.toSet());
      assertThat(numbers).hasSize(Integer.parseInt(search[3]));
      assertThat(found)
          .filteredOn(entry -> !numbers.contains(entry.getDN()))
          .allMatch(entry -> entry.getDN().matches(TEXTS), "is text in a real slapd, too");
    }
  }

  private static final String TEXTS =
      "cn=(Backend \\d|Database \\d|Frontend|Listener"
          + " \\d|State|Runqueue|Tasklist|Start|Current),.*";

  private static boolean isNumber(String value) {
    return value != null && value.matches("-?\\d+(\\.\\d+)?");
  }

  @Test
  void ldapsearchFindsCountersByTheirClass() {
    String url = "ldap://127.0.0.1:" + TestServers.port(server);
    CommandRun run =
        CommandRun.of(
            "ldapsearch",
            "-x",
            "-LLL",
            "-H",
            url,
            "-b",
            "cn=Connections,cn=Monitor",
            "(objectclass=monitorCounterObject)",
            "monitorCounter");
    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.lines())
        .contains("dn: cn=Current,cn=Connections,cn=Monitor", "monitorCounter: 1")
        .filteredOn(line -> line.startsWith("dn: "))
        .hasSize(3);
  }

  // lloadd

  @Test
  void serversAreAsInLloadd() throws LDAPException {
    try (LDAPConnection client = TestServers.connect(server)) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      client.compare(InMemoryDirectory.person(1), "sn", "x");
      String servers = "(objectClass=olmBalancerServer)";
      assertThat(client.searchForEntry(MONITOR, SearchScope.SUB, servers, "+")).isNull();
      client.bind(READER, InMemoryDirectory.PASSWORD);
      SearchResultEntry one = client.searchForEntry(MONITOR, SearchScope.SUB, servers, "+");
      assertThat(one.getDN())
          .endsWith(",cn=tier 1,cn=Backend Tiers,cn=Load Balancer," + "cn=Backends,cn=Monitor");
      assertThat(one.getAttributeValue("olmServerURI"))
          .isEqualTo("ldap://127.0.0.1:" + directory.port());
      assertThat(number(one, "olmReceivedOps")).isPositive();
      assertThat(number(one, "olmReceivedOps"))
          .isEqualTo(
              number(one, "olmCompletedOps")
                  + number(one, "olmFailedOps")
                  + number(one, "olmPendingOps"));
      assertThat(number(one, "olmActiveConnections")).isPositive();
    }
  }

  @Test
  void operationsAreAsInLloadd() throws LDAPException {
    String parent = ",cn=Operations,cn=Load Balancer,cn=Backends,cn=Monitor";
    try (LDAPConnection client = TestServers.connect(server);
        RawLdapClient raw = TestServers.rawClient(server)) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      assertThat(raw.code(Requests.saslBind("EXTERNAL"))).isEqualTo(7);
      SearchResultEntry binds = client.getEntry("cn=Bind" + parent, "+");
      assertThat(number(binds, "olmReceivedOps")).isEqualTo(2);
      assertThat(number(binds, "olmForwardedOps")).isOne();
      assertThat(number(binds, "olmRejectedOps")).isOne();
      assertThat(number(binds, "olmCompletedOps")).isOne();
      assertThat(number(binds, "olmFailedOps")).isZero();
      SearchResultEntry others = client.getEntry("cn=Other" + parent, "+");
      assertThat(number(others, "olmReceivedOps")).isEqualTo(2);
      assertThat(number(others, "olmCompletedOps")).isOne();
    }
  }

  // 389 Directory Server

  /** The attributes that lib389's class Monitor reads, but for the clients. */
  @Test
  void monitorOfLib389() throws LDAPException {
    try (LDAPConnection client = TestServers.connect(server)) {
      SearchResultEntry entry = client.getEntry("cn=monitor");
      assertNumbers(
          entry,
          "threads currentconnections totalconnections currentconnectionsatmaxthreads"
              + " maxthreadsperconnhits dtablesize readwaiters opsinitiated opscompleted"
              + " entriessent bytessent nbackends currentworkqueue maxworkqueue");
      assertThat(entry.getAttributeValue("version")).startsWith("Stoa ");
      assertThat(entry.getAttributeValue("currenttime")).matches("\\d{14}Z");
      assertThat(entry.getAttributeValue("starttime")).matches("\\d{14}Z");
      assertThat(entry.getAttributeValues("backendmonitordn"))
          .hasSize(Math.toIntExact(number(entry, "nbackends")));
    }
  }

  /** Those of its class MonitorSNMP. */
  @Test
  void snmpOfLib389() throws LDAPException {
    try (LDAPConnection client = TestServers.connect(server)) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      client.search(InMemoryDirectory.PEOPLE, SearchScope.ONE, Filter.createPresenceFilter("cn"));
      SearchResultEntry entry = client.getEntry("cn=snmp,cn=monitor");
      assertNumbers(
          entry,
          "anonymousbinds unauthbinds simpleauthbinds strongauthbinds bindsecurityerrors inops"
              + " readops compareops addentryops removeentryops modifyentryops modifyrdnops"
              + " listops searchops onelevelsearchops wholesubtreesearchops referrals chainings"
              + " securityerrors errors connections connectionseq connectionsinmaxthreads"
              + " connectionsmaxthreadscount bytesrecv bytessent entriesreturned"
              + " referralsreturned supplierentries copyentries cacheentries cachehits"
              + " consumerhits");
      assertThat(number(entry, "simpleauthbinds")).isOne();
      assertThat(number(entry, "onelevelsearchops")).isOne();
      assertThat(number(entry, "wholesubtreesearchops")).isZero();
      assertThat(number(entry, "inops")).isEqualTo(3);
    }
  }

  /** Those of its class MonitorBackend, which finds its entry by its name. */
  @Test
  void cacheOfLib389() throws LDAPException {
    try (LDAPConnection client = TestServers.connect(server)) {
      client.getEntry(InMemoryDirectory.person(1), "cn");
      client.getEntry(InMemoryDirectory.person(1), "cn");
      String dn = client.getEntry("cn=monitor").getAttributeValue("backendmonitordn");
      assertThat(dn).isEqualTo("cn=dc=example\\2Cdc=com,cn=monitor");
      SearchResultEntry entry = client.getEntry(dn);
      assertNumbers(
          entry,
          "readonly entrycachehits entrycachetries entrycachehitratio currententrycachesize"
              + " maxentrycachesize currententrycachecount maxentrycachecount dncachehits"
              + " dncachetries dncachehitratio currentdncachesize maxdncachesize"
              + " currentdncachecount maxdncachecount");
      assertThat(number(entry, "entrycachehits")).isOne();
      assertThat(number(entry, "entrycachetries")).isEqualTo(2);
      assertThat(number(entry, "entrycachehitratio")).isEqualTo(50);
    }
  }

  private static void assertNumbers(SearchResultEntry entry, String names) {
    assertThat(Stream.of(names.split(" ")))
        .allSatisfy(name -> assertThat(entry.getAttributeValue(name)).as(name).matches("\\d+"));
  }

  // Who sees what, and when

  @Test
  void noClientIsNamedToOthers() throws LDAPException {
    try (RawLdapClient other = TestServers.rawClient(server);
        LDAPConnection client = TestServers.connect(server)) {
      other.bind(InMemoryDirectory.person(2), InMemoryDirectory.PASSWORD);
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      for (SearchResultEntry entry : byName(client).values()) {
        assertThat(entry.toLDIFString()).doesNotContain("user.1", "user.2", ":" + other.port());
        assertThat(entry.getDN()).doesNotContain("cn=Connection ");
      }
      assertThat(client.getEntry("cn=Connection 1,cn=Connections," + MONITOR)).isNull();
      assertThat(
              client.search("cn=monitor", SearchScope.SUB, "(!(connection=*))").getSearchEntries())
          .as("an attribute that nobody may see is one that nobody knows")
          .isEmpty();
    }
  }

  /** What was sent just before is counted, octet for octet; nothing waits for a clock. */
  @Test
  void octetAndMessageCountersAreCurrent() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      List<RawMessage> first = client.call(search(MONITOR).attributes("*", "+").request());
      List<RawMessage> between = client.call(search(InMemoryDirectory.PEOPLE).request());
      List<RawMessage> second = client.call(search(MONITOR).attributes("*", "+").request());
      long octets =
          Stream.concat(first.stream(), between.stream()).mapToLong(m -> m.octets().length).sum();
      long before = counter(first, "cn=Bytes,cn=Statistics," + MONITOR);
      assertThat(counter(second, "cn=Bytes,cn=Statistics," + MONITOR) - before).isEqualTo(octets);
      assertThat(
              counter(second, "cn=PDU,cn=Statistics," + MONITOR)
                  - counter(first, "cn=PDU,cn=Statistics," + MONITOR))
          .isEqualTo(first.size() + between.size());
    }
  }

  /** What has just been answered does not wait any more. */
  @Test
  void waiterCountersAreCurrent() throws LDAPException {
    byte[] request = search(InMemoryDirectory.SUFFIX).baseScope().request().encode(1);
    try (RawLdapClient torn = TestServers.rawClient(server);
        LDAPConnection client = TestServers.connect(server)) {
      for (int i = 0; i < 5; i++) {
        torn.sendOctets(Arrays.copyOf(request, 5));
        Await.until("half a request has come", () -> waiting(client) == 1);
        torn.sendOctets(Arrays.copyOfRange(request, 5, request.length));
        torn.await(1);
        assertThat(waiting(client)).isZero();
      }
    }
  }

  private static long waiting(LDAPConnection client) {
    try {
      return number(client.getEntry("cn=Read,cn=Waiters," + MONITOR, "+"), "monitorCounter");
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  private static long counter(List<RawMessage> answer, String dn) {
    return answer.stream()
        .filter(message -> message.opTag() == RawMessage.SEARCH_ENTRY)
        .map(message -> message.decoded().getSearchResultEntryProtocolOp())
        .filter(entry -> entry.getDN().equals(dn))
        .flatMap(entry -> entry.getAttributes().stream())
        .filter(attribute -> attribute.getName().equals("monitorCounter"))
        .mapToLong(attribute -> Long.parseLong(attribute.getValue()))
        .findFirst()
        .orElseThrow();
  }

  private static long number(SearchResultEntry entry, String name) {
    return entry.getAttributeValueAsLong(name);
  }
}
