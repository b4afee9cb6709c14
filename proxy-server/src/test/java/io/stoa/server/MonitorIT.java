// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.metrics.OperationKind;
import io.stoa.operation.event.ClientEvent;
import io.stoa.server.config.ServerConfig;
import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.SearchBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code cn=monitor} over the wire: it is there for everybody, and its numbers add up. */
class MonitorIT {
  private static final String MONITOR = "cn=monitor";
  private static final Control DONT_USE_COPY = new Control("1.3.6.1.1.22", true);

  private InMemoryDirectory directory;
  private StoaServer server;

  @BeforeEach
  void start() {
    directory = InMemoryDirectory.start(50);
    server = TestServers.startReady(directory.port());
  }

  @AfterEach
  void stop() {
    server.close();
    directory.close();
  }

  // Who sees what

  @Test
  void ldapsearchReadsTheEntry() {
    Map<String, String> entry = ldapsearch();
    assertThat(entry).containsEntry("cn", "monitor").containsEntry("ready", "TRUE");
    assertThat(entry.get("version")).startsWith("Stoa ");
    assertThat(entry.get("currenttime")).matches("\\d{14}Z");
    assertThat(entry.get("starttime")).matches("\\d{14}Z");
    assertThat(entry).containsEntry("currentconnections", "1").containsEntry("acl_cache", "TRUE");
  }

  @Test
  void boundAndAnonymousClientsSeeTheSame() throws LDAPException {
    try (LDAPConnection anonymous = TestServers.connect(server);
        LDAPConnection bound = TestServers.connect(server)) {
      bound.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      assertThat(names(monitor(bound))).isEqualTo(names(monitor(anonymous)));
    }
  }

  @Test
  void noClientIsNamed() throws LDAPException {
    try (LDAPConnection bound = TestServers.connect(server)) {
      bound.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      assertThat(monitor(bound).toLDIFString()).doesNotContain("127.0.0.1", "user.1");
    }
  }

  @Test
  void cnMonitorIsServedWithoutADirectory() throws LDAPException {
    try (StoaServer alone = TestServers.start(TestServers.config(FreePort.next()));
        LDAPConnection client = TestServers.connect(alone)) {
      assertThat(monitor(client).getAttributeValue("ready")).isEqualTo("FALSE");
    }
  }

  @Test
  void timesAsIbmDirectoryPrintsThem() throws LDAPException {
    ServerConfig config = TestServers.config(directory.port());
    ServerConfig ibm =
        new ServerConfig(config.proxy(), config.management(), true, config.drainTimeout());
    try (StoaServer other = TestServers.start(ibm);
        LDAPConnection client = TestServers.connect(other)) {
      assertThat(monitor(client).getAttributeValue("starttime"))
          .matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d GMT");
    }
  }

  // How large a request may be

  @Test
  void aLargeFilterIsRefusedWithoutBeingEvaluated() throws LDAPException {
    try (LDAPConnection client = TestServers.connect(server)) {
      assertThat(code(client, "(|" + "(cn=monitor)".repeat(13_000) + ")")).isEqualTo(11);
      assertThat(code(client, "(|" + "(cn=monitor)".repeat(257) + ")")).isEqualTo(11);
      assertThat(code(client, "(|" + "(cn=monitor)".repeat(256) + ")")).isEqualTo(0);
      assertThat(code(client, "(cn=" + "x".repeat(16_384) + ")")).isEqualTo(11);
      assertThat(monitor(client).getAttributeValue("cn")).isEqualTo("monitor");
    }
  }

  private static int code(LDAPConnection client, String filter) {
    try {
      return client.search(MONITOR, SearchScope.SUB, filter).getResultCode().intValue();
    } catch (LDAPException e) {
      return e.getResultCode().intValue();
    }
  }

  // What is answered how

  @Test
  void scopes() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(client.call(search(MONITOR).baseScope().request())).hasSize(2);
      int all = client.call(search("CN=Monitor").request()).size();
      assertThat(all).isGreaterThan(60);
      assertThat(client.call(search(MONITOR).oneLevel().request())).hasSize(20);
      assertThat(client.call(search("cn=waiters," + MONITOR).oneLevel().request())).hasSize(3);
      assertThat(client.call(search("cn=waiters," + MONITOR).request())).hasSize(4);
      assertThat(client.call(search(MONITOR).scope(3).request())).hasSize(all - 1);
      assertThat(client.code(search(MONITOR).scope(7).request())).isEqualTo(2);
    }
  }

  /** RFC 4514, section 2.4: the directory has a monitor of the same name, which is not meant. */
  @Test
  void theNameOfCnMonitorIsComparedAsADn() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      for (String name :
          List.of(
              "cn=m\\6fnitor",
              "cn=monitor\u0000",
              "cn=\"monitor\"",
              "2.5.4.3=monitor",
              "cn=ｍonitor",
              "cn=monitor\n",
              "cn=monitor \t",
              "\r\ncn=monitor",
              "cn\n=\tmonitor",
              "cn=monitor\u00a0",
              "cn;x=monitor")) {
        List<RawMessage> answer = client.call(search(name).baseScope().request());
        assertThat(answer).as(name).hasSize(2);
        assertThat(answer.get(0).mentions("Stoa ")).as(name).isTrue();
      }
    }
  }

  @Test
  void aMissingEntryNamesTheMatchedDn() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      List<RawMessage> answer = client.call(search("cn=a,cn=b,cn=time,cn=monitor").request());
      assertThat(answer).hasSize(1);
      assertThat(answer.get(0).resultCode()).isEqualTo(32);
      assertThat(answer.get(0).decoded().getSearchResultDoneProtocolOp().getMatchedDN())
          .isEqualTo("cn=Time,cn=Monitor");
      assertThat(client.code(Requests.compare("cn=a," + MONITOR, "cn", "a"))).isEqualTo(32);
    }
  }

  @Test
  void filters() {
    assertThat(found("(objectClass=monitorServer)")).isTrue();
    assertThat(found("(&(version=stoa*)(searchesrequested>=1))")).isTrue();
    assertThat(found("(!(ready=FALSE))")).isTrue();
    assertThat(found("(ready=FALSE)")).isFalse();
    assertThat(found("(!(unknown=1))")).isFalse();
    assertThat(found("(|)")).isFalse();
  }

  private boolean found(String filter) {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      return client.call(search(MONITOR).baseScope().filter(filter).request()).size() == 2;
    }
  }

  @Test
  void selections() throws LDAPException {
    try (LDAPConnection client = TestServers.connect(server)) {
      assertThat(names(client.getEntry(MONITOR, "Ready", "OBJECTCLASS", "no")))
          .containsExactlyInAnyOrder("ready", "objectClass");
      assertThat(names(client.getEntry(MONITOR, "1.1"))).isEmpty();
      assertThat(names(client.getEntry(MONITOR, "+")))
          .contains("entryDN", "monitoredInfo")
          .doesNotContain("version", "cn");
      assertThat(names(client.getEntry(MONITOR, "*", "+")))
          .containsAll(names(monitor(client)))
          .contains("entryDN");
    }
  }

  @Test
  void limitsAndTypesOnly() throws LDAPException {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      SearchBuilder whole = search(MONITOR).baseScope().sizeLimit(1).timeLimit(1);
      List<RawMessage> answer = client.call(whole.justTypes().request());
      assertThat(answer).hasSize(2);
      assertThat(answer.get(0).decoded().getSearchResultEntryProtocolOp().getAttributes())
          .isNotEmpty()
          .allSatisfy(attribute -> assertThat(attribute.hasValue()).isFalse());
      assertThat(answer.get(1).resultCode()).isZero();
      List<RawMessage> cut = client.call(search(MONITOR).sizeLimit(3).request());
      assertThat(cut).hasSize(4);
      assertThat(cut.get(3).resultCode()).isEqualTo(4);
    }
  }

  @Test
  void controls() {
    RawRequest request = search(MONITOR).baseScope().request();
    try (RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(client.code(request.with(new Control("1.2.3.4", true)))).isEqualTo(12);
      assertThat(client.code(request.with(new Control("1.2.3.4", false)))).isZero();
      assertThat(client.code(request.with(new Control("2.16.840.1.113730.3.4.2", true)))).isZero();
      assertThat(client.code(request.with(DONT_USE_COPY))).isZero();
    }
  }

  @Test
  void compares() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(client.code(Requests.compare(MONITOR, "READY", "true"))).isEqualTo(6);
      assertThat(client.code(Requests.compare(MONITOR, "ready", "false"))).isEqualTo(5);
      assertThat(client.code(Requests.compare(MONITOR, "unknown", "x"))).isEqualTo(16);
      assertThat(client.code(Requests.compare("cn=x," + MONITOR, "cn", "x"))).isEqualTo(32);
    }
  }

  @Test
  void writesAndBindsAreRefused() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        StoaServer other = TestServers.startReady(upstream.port());
        RawLdapClient client = TestServers.rawClient(other)) {
      client.bind("cn=somebody", "secret");
      assertThat(client.code(Requests.bind("cn=admin," + MONITOR, "x"))).isEqualTo(49);
      assertThat(client.code(Requests.bind(MONITOR, ""))).isEqualTo(49);
      assertThat(client.code(Requests.add("cn=x," + MONITOR, "cn: x"))).isEqualTo(53);
      assertThat(client.code(Requests.replace(MONITOR, "cn", "x"))).isEqualTo(50);
      assertThat(client.code(Requests.delete(MONITOR))).isEqualTo(53);
      assertThat(client.code(Requests.rename(MONITOR, "cn=x", true))).isEqualTo(53);
      client.call(search("dc=anonymous").request());
      assertThat(upstream.received(request -> request.is(Received.BIND))).hasSize(1);
      assertThat(upstream.received(request -> request.message().mentions(MONITOR))).isEmpty();
      assertThat(upstream.received(request -> request.isSearchFor("dc=anonymous")))
          .singleElement()
          .satisfies(request -> assertThat(request.identity()).isEmpty());
    }
  }

  @Test
  void namesSimilarToCnMonitorGoUpstream() {
    long before = server.counters().events().get(ClientEvent.OWN_SEARCH);
    try (RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(client.code(search("cn=monitor," + InMemoryDirectory.SUFFIX).request()))
          .isEqualTo(32);
      assertThat(client.code(search("cn=xmonitor").request())).isEqualTo(32);
      assertThat(client.code(search("ou=monitor").request())).isEqualTo(32);
    }
    assertThat(server.counters().events().get(ClientEvent.OWN_SEARCH)).isEqualTo(before);
  }

  // What adds up

  /** The guide's formula, each reading one run of ldapsearch: bind, search, unbind. */
  @Test
  void throughputIsZeroOnAnIdleStoa() {
    long before = reading();
    for (int i = 0; i < 5; i++) {
      long now = reading();
      assertThat(now - before - 3).isZero();
      before = now;
    }
  }

  @Test
  void throughputCountsTheOperationsDone() {
    long before = reading();
    int operations = 40;
    try (RawLdapClient client = TestServers.rawClient(server)) {
      for (int i = 0; i < operations; i++) {
        client.call(search(InMemoryDirectory.person(i)).baseScope().request());
      }
    }
    assertThat(reading() - before - 3).isEqualTo(operations);
  }

  /** The counter as ldapsearch shows it, after what it did itself has ended too. */
  private long reading() {
    long unbinds = server.counters().completed().get(OperationKind.UNBIND.request());
    long completed = Long.parseLong(ldapsearch().get("opscompleted"));
    Await.until(
        "the end of ldapsearch",
        () -> server.counters().completed().get(OperationKind.UNBIND.request()) == unbinds + 1);
    return completed;
  }

  @Test
  void searchesAddUpUnderLoadAndAfterIt() throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(5);
    try {
      List<Future<?>> load = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        load.add(clients.submit(this::manySearches));
      }
      Future<?> reader = clients.submit(() -> readWhile(load));
      for (Future<?> client : load) {
        client.get();
      }
      reader.get();
    } finally {
      clients.shutdownNow();
    }
    try (LDAPConnection client = TestServers.connect(server)) {
      Function<String, Long> value = values(monitor(client));
      assertThat(value.apply("searchesundecided")).isZero();
      assertThat(value.apply("filter_cache_hit")).isPositive();
      assertThat(value.apply("filter_cache_miss")).isPositive();
      assertThat(value.apply("searchesrefused")).isEqualTo(4);
      assertThat(value.apply("searchesrequested")).isEqualTo(sum(value));
      assertThat(value.apply("searchesrequested") - value.apply("searchescompleted")).isOne();
      assertThat(value.apply("opsinitiated") - value.apply("opscompleted")).isOne();
    }
  }

  @Test
  void malformedSearchesCountAsRefused() throws LDAPException {
    for (String base : List.of(MONITOR, "cn=configuration", "dc=x")) {
      try (RawLdapClient client = TestServers.rawClient(server)) {
        byte[] torn = search(base).request().op();
        torn[torn.length - 1] = 1;
        client.send(new RawRequest(torn));
        client.drain();
      }
    }
    try (LDAPConnection client = TestServers.connect(server)) {
      Function<String, Long> value = values(monitor(client));
      assertThat(value.apply("searchesrefused")).isEqualTo(3);
      assertThat(value.apply("searchesundecided")).isZero();
      assertThat(value.apply("searchesrequested")).isEqualTo(sum(value));
    }
  }

  private void manySearches() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      for (int i = 0; i < 300; i++) {
        RawRequest people = person(i % 20);
        client.call(people);
        client.call(people.with(DONT_USE_COPY));
        client.call(search(MONITOR).baseScope().request());
        client.call(Requests.compare(InMemoryDirectory.person(i % 20), "sn", "x"));
      }
      byte[] torn = search("dc=x").request().op();
      torn[torn.length - 1] = 1;
      client.send(new RawRequest(torn));
      client.drain();
    }
  }

  /** Not with the password, which the directory shows to anybody: then it would not be stored. */
  private static RawRequest person(int number) {
    return search(InMemoryDirectory.person(number)).baseScope().attributes("cn").request();
  }

  private void readWhile(List<Future<?>> load) {
    try (LDAPConnection client = TestServers.connect(server)) {
      while (load.stream().anyMatch(one -> !one.isDone())) {
        Function<String, Long> value = values(monitor(client));
        assertThat(value.apply("searchesundecided")).isBetween(0L, 10_000L);
        assertThat(value.apply("searchesrequested")).isEqualTo(sum(value));
        assertThat(value.apply("searchescompleted")).isLessThan(value.apply("searchesrequested"));
        assertThat(value.apply("opscompleted")).isLessThan(value.apply("opsinitiated"));
      }
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  private static long sum(Function<String, Long> value) {
    return value.apply("filter_cache_hit")
        + value.apply("filter_cache_miss")
        + value.apply("filter_cache_bypassed")
        + value.apply("searchesrefused")
        + value.apply("searchesundecided");
  }

  @Test
  void pairsAddUpToTheTotals() throws LDAPException {
    try (LDAPConnection client = TestServers.connect(server)) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      client.compare(InMemoryDirectory.person(1), "sn", "x");
      SearchResultEntry entry = monitor(client);
      assertThat(total(entry, "requested")).isEqualTo(values(entry).apply("opsinitiated"));
      assertThat(total(entry, "completed")).isEqualTo(values(entry).apply("opscompleted"));
      assertThat(values(entry).apply("bindsrequested")).isOne();
      assertThat(values(entry).apply("comparescompleted")).isOne();
      assertThat(values(entry).apply("compare_cache_miss")).isOne();
      assertThat(values(entry).apply("totalconnections")).isOne();
    }
  }

  private static long total(SearchResultEntry entry, String suffix) {
    return names(entry).stream()
        .filter(name -> name.endsWith(suffix) && !name.startsWith("ops"))
        .mapToLong(entry::getAttributeValueAsLong)
        .sum();
  }

  @Test
  void entriesSentAndConnections() throws LDAPException {
    try (LDAPConnection client = TestServers.connect(server);
        RawLdapClient other = TestServers.rawClient(server)) {
      long before = values(monitor(client)).apply("entriessent");
      int entries = other.call(search(InMemoryDirectory.PEOPLE).oneLevel().request()).size() - 1;
      SearchResultEntry entry = monitor(client);
      assertThat(entries).isEqualTo(50);
      assertThat(values(entry).apply("entriessent") - before).isEqualTo(entries + 1);
      assertThat(values(entry).apply("currentconnections")).isEqualTo(2);
      assertThat(values(entry).apply("upstream_operations")).isPositive();
    }
  }

  // How it is asked

  private Map<String, String> ldapsearch() {
    String url = "ldap://127.0.0.1:" + TestServers.port(server);
    CommandRun run =
        CommandRun.of(
            "ldapsearch", "-x", "-LLL", "-H", url, "-s", "base", "-b", MONITOR, "(objectclass=*)");
    assertThat(run.exitCode()).as(run.output()).isZero();
    return run.lines().stream()
        .filter(line -> line.contains(": ") && !line.startsWith("objectClass"))
        .map(line -> line.split(": ", 2))
        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }

  private static SearchResultEntry monitor(LDAPConnection client) throws LDAPException {
    return client.getEntry(MONITOR);
  }

  private static Function<String, Long> values(SearchResultEntry entry) {
    return entry::getAttributeValueAsLong;
  }

  private static List<String> names(SearchResultEntry entry) {
    return entry.getAttributes().stream().map(attribute -> attribute.getName()).toList();
  }
}
