// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.util.json.JSONArray;
import com.unboundid.util.json.JSONException;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONString;
import com.unboundid.util.json.JSONValue;
import io.stoa.cache.result.CacheStats;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.cache.sharing.SharingConfig;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.metrics.ProxyMeters;
import io.stoa.proxy.ProxyConfig;
import io.stoa.server.config.ManagementConfig;
import io.stoa.server.config.ServerConfig;
import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The management listener over the wire. */
class ManagementIT {
  private InMemoryDirectory directory;
  private StoaServer server;
  private InetSocketAddress management;

  @BeforeEach
  void start() {
    directory = InMemoryDirectory.start(10);
    server = TestServers.start(config(directory.port()));
    Await.until("Stoa is ready", () -> server.proxy().status().ready());
    management = Objects.requireNonNull(server.managementAddress());
  }

  /** With a window in which writes wait, and a sharing class, which have metrics of their own. */
  private static ServerConfig config(int port) {
    ServerConfig plain = TestServers.config(port);
    ProxyConfig proxy = plain.proxy();
    WindowConfig window =
        new WindowConfig("w", "dc=other", null, Duration.ofSeconds(1), 64, Batch.SINGLE, false);
    Declaration people =
        new Declaration(
            "people", List.of("*,ou=people"), List.of(), "dc=example", Attributes.ALL, false);
    ProxyConfig waiting =
        new ProxyConfig(
            proxy.access(),
            proxy.upstream(),
            Records.with(proxy.cache(), "sharing", new SharingConfig(List.of(people), 1000)),
            proxy.adapt(),
            proxy.limits(),
            List.of(window),
            proxy.eventLoops(),
            proxy.coherence(),
            proxy.rules());
    return ServerConfig.of(waiting).withManagement(plain.management());
  }

  @AfterEach
  void stop() {
    server.close();
    directory.close();
  }

  private HttpExchange get(String path) {
    return HttpExchange.get(management, path);
  }

  @Test
  void everyMetricHasItsDocumentedName() {
    searchOnce();
    HttpExchange answer = get("/metrics");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.head()).contains("content-type: text/plain; version=0.0.4; charset=utf-8");
    for (ProxyMeters meter : ProxyMeters.values()) {
      String name = MetricsDocsTest.prometheusName(meter);
      if (meter.tags().contains("context") && meter != ProxyMeters.FEED_STATE) {
        assertThat(answer.body()).doesNotContain(name); // this directory has no feed
        continue;
      }
      String labels =
          meter.tags().isEmpty()
              ? " "
              : meter.tags().stream()
                  .sorted()
                  .map(tag -> tag + "=\"[^\"]+\"")
                  .collect(Collectors.joining(",", "\\{", "} "));
      assertThat(answer.body())
          .contains("# HELP " + name + " " + meter.meaning() + "\n")
          .containsPattern("(?m)^# TYPE " + name + " " + MetricsDocsTest.type(meter) + "$")
          .containsPattern(
              "(?m)^" + name + (meter.isHistogram() ? "_sum" : "") + labels + "([0-9.E-]+|NaN)$");
    }
    assertThat(answer.body()).contains("jvm_memory_used_bytes", "process_cpu_usage");
  }

  private void searchOnce() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      client.call(Requests.search("cn=monitor").baseScope().request());
      client.call(Requests.search(InMemoryDirectory.PEOPLE).filter("(uid=x)").request());
    }
  }

  /** Some metrics of the collector appear with its first pause. */
  @Test
  void promtoolAcceptsEveryMetric() {
    searchOnce();
    System.gc();
    Await.until("the collection is counted", () -> metrics().contains("jvm_gc_pause_seconds_sum"));
    assertThat(Promtool.checkMetrics(metrics())).isEqualTo(new Promtool.Verdict(0, ""));
  }

  @Test
  void theProcessHasTheDocumentedMetrics() throws IOException {
    assertThat(metrics())
        .containsPattern("(?m)^# TYPE process_cpu_seconds_total counter$")
        .containsPattern("(?m)^process_start_time_seconds 1\\.[0-9]+E9$")
        .containsPattern("(?m)^process_open_fds [1-9][0-9]*\\.0$")
        .containsPattern("(?m)^process_resident_memory_bytes [1-9][0-9.E]+$");
    Pattern inUse = Pattern.compile("(?m)^# TYPE ((?:jvm|process|system)_\\w+) ");
    assertThat(MetricsDocsTest.processMetrics())
        .contains("process_cpu_seconds_total")
        .filteredOn(name -> !name.startsWith("jvm_gc_")) // these appear with the first collection
        .isSubsetOf(inUse.matcher(metrics()).results().map(name -> name.group(1)).toList());
  }

  private String metrics() {
    return get("/metrics").body();
  }

  @Test
  void metricsEqualTheMonitorsCounters() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      client.call(Requests.search(InMemoryDirectory.PEOPLE).baseScope().request());
      client.call(Requests.search("cn=monitor").baseScope().request());
      assertThat(get("/metrics").body())
          .contains("stoa_operations_received_total{operation=\"search\"} 2.0\n")
          .contains("stoa_operations_completed_total{operation=\"bind\"} 1.0\n")
          .contains("stoa_searches_bypassed_total 1.0\n")
          .contains("stoa_connections 1.0\n")
          .contains("stoa_ready 1.0\n")
          .contains("stoa_upstream_up{server=\"ldap://127.0.0.1:" + directory.port() + "\"} 1.0\n");
    }
  }

  @Test
  void resultsAreCountedByCode() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      client.call(Requests.bind(InMemoryDirectory.person(1), "wrong"));
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      client.call(Requests.search(InMemoryDirectory.PEOPLE).baseScope().request());
      client.call(Requests.search("ou=none," + InMemoryDirectory.PEOPLE).baseScope().request());
      String sent = "stoa_results_sent_total{operation=\"%s\",result=\"%s\"} 1.0\n";
      assertThat(metrics())
          .contains(sent.formatted("bind", "invalidCredentials"))
          .contains(sent.formatted("bind", "success"))
          .contains(sent.formatted("search", "success"))
          .contains(sent.formatted("search", "noSuchObject"))
          .doesNotContain("result=\"busy\"");
    }
  }

  /** Buckets are cumulative, and a combination that has not occurred has none. */
  @Test
  void latenciesAreCountedByOperationAndCacheOutcome() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      for (int i = 0; i < 3; i++) {
        client.call(Requests.search(InMemoryDirectory.PEOPLE).baseScope().request());
      }
      client.call(Requests.search("cn=monitor").baseScope().request());
    }
    String name = "stoa_operation_duration_seconds";
    assertThat(metrics())
        .contains("# TYPE " + name + " histogram\n")
        .contains(name + "_count{cache=\"none\",operation=\"bind\"} 1\n")
        .contains(name + "_count{cache=\"none\",operation=\"search\"} 1\n")
        .contains(name + "_count{cache=\"miss\",operation=\"search\"} 1\n")
        .contains(name + "_count{cache=\"hit\",operation=\"search\"} 2\n")
        .contains(name + "_bucket{cache=\"hit\",operation=\"search\",le=\"+Inf\"} 2\n")
        .containsPattern(
            name + "_bucket\\{cache=\"hit\",operation=\"search\",le=\"1.0E-4\"} [012]\n")
        .containsPattern(name + "_sum\\{cache=\"hit\",operation=\"search\"} [0-9.E-]+\n")
        .doesNotContain("operation=\"modify\",le=")
        .doesNotContain("cache=\"stale\"");
  }

  /** The eleventh pattern has no metrics, and the text of none is shown. */
  @Test
  void theCostliestPatternsOfSearchesAreCounted() {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      for (int i = 0; i < 11; i++) {
        client.call(Requests.search(InMemoryDirectory.PEOPLE).filter("(sn" + i + "=x)").request());
      }
    }
    String metrics = metrics();
    assertThat(
            metrics.lines().filter(line -> line.startsWith("stoa_digest_upstream_seconds_total")))
        .hasSize(10);
    assertThat(
            metrics
                .lines()
                .filter(line -> line.startsWith("stoa_digest_searches_total{cache=\"miss\""))
                .toList())
        .hasSize(10)
        .allMatch(line -> line.endsWith(" 1.0"));
    assertThat(metrics).doesNotContain("sn1");
  }

  @Test
  void health() {
    assertThat(get("/livez").status()).isEqualTo(200);
    assertThat(get("/livez").body()).isEqualTo("alive\n");
    assertThat(get("/readyz").status()).isEqualTo(200);
    assertThat(get("/readyz?verbose").body()).isEqualTo("ready\n");
  }

  @Test
  void headIsGetWithoutTheBody() {
    for (String path : List.of("/livez", "/readyz")) {
      HttpExchange head = head(management, path);
      assertThat(head.head()).as(path).isEqualTo(get(path).head());
      assertThat(head.body()).as(path).isEmpty();
    }
    HttpExchange metrics = head(management, "/metrics");
    assertThat(metrics.head()).anyMatch(line -> line.matches("content-length: [1-9]\\d{3,}"));
    assertThat(withoutLength(metrics)).isEqualTo(withoutLength(get("/metrics")));
    assertThat(metrics.body()).isEmpty();
    assertThat(head(management, "/caching/off").status()).isEqualTo(405);
    assertThat(caching()).isTrue();
  }

  /** How many octets the metrics take depends on their values. */
  private static List<String> withoutLength(HttpExchange exchange) {
    return exchange.head().stream().filter(line -> !line.startsWith("content-length")).toList();
  }

  private static HttpExchange head(InetSocketAddress address, String path) {
    return HttpExchange.request(address, "HEAD", path, "Host: localhost");
  }

  @Test
  void notReadyWithoutADirectory() throws Exception {
    try (StoaServer alone = TestServers.start(TestServers.config(FreePort.next()))) {
      InetSocketAddress address = Objects.requireNonNull(alone.managementAddress());
      assertThat(HttpExchange.get(address, "/livez").status()).isEqualTo(200);
      HttpExchange answer = HttpExchange.get(address, "/readyz");
      assertThat(answer.status()).isEqualTo(503);
      assertThat(answer.body()).isEqualTo("not ready: no directory server is usable\n");
      assertThat(head(address, "/readyz").head()).isEqualTo(answer.head());
      assertThat(HttpExchange.get(address, "/metrics").body()).contains("stoa_ready 0.0\n");
      try (LDAPConnection client = TestServers.connect(alone)) {
        assertThat(client.getEntry("cn=monitor", "ready_reason").getAttributeValue("ready_reason"))
            .isEqualTo("no directory server is usable");
      }
    }
  }

  @Test
  void cachingIsSwitched() {
    String local = "Host: localhost:" + management.getPort();
    assertThat(caching()).isTrue();
    assertThat(HttpExchange.post(management, "/caching/off", local).status()).isEqualTo(200);
    assertThat(caching()).isFalse();
    assertThat(get("/metrics").body()).contains("stoa_cache_enabled 0.0\n");
    assertThat(HttpExchange.post(management, "/caching/on", "Host: 127.0.0.1").status())
        .isEqualTo(200);
    assertThat(caching()).isTrue();
    assertThat(HttpExchange.post(management, "/caching/off", "Host: [::1]:1").status())
        .isEqualTo(200);
    assertThat(caching()).isFalse();
  }

  /** A page that a browser on this host shows may not switch anything. */
  @Test
  void aWebPageCannotSwitchCaching() {
    String[][] forbidden = {
      {"Host: attacker.example"},
      {"Host: 127.0.0.1.attacker.example:9389"},
      {"Host: localhost", "Host: attacker.example"},
      {"Host: localhost", "Origin: http://attacker.example"},
      {"Host: localhost", "Origin: null"},
      {},
    };
    for (String[] headers : forbidden) {
      assertThat(HttpExchange.post(management, "/caching/off", headers).status())
          .as(String.join(", ", headers))
          .isEqualTo(403);
    }
    assertThat(caching()).isTrue();
  }

  @Test
  void cachingIsSwitchedByPostOnly() {
    HttpExchange answer = get("/caching/off");
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.head()).contains("allow: post");
    assertThat(caching()).isTrue();
  }

  @Test
  void cnMonitorIsReadAsJson() throws Exception {
    searchOnce();
    HttpExchange answer =
        get("/monitor?base=CN%3Dcaches,+cn+%3DMonitor&base=cn=Windows&base=cn=Networks");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.head()).contains("content-type: application/json", "cache-control: no-store");
    List<JSONValue> entries = entries(answer);
    assertThat(entries)
        .extracting(entry -> ((JSONObject) entry).getFieldAsString("dn"))
        .filteredOn(dn -> !dn.endsWith(",cn=Networks,cn=Monitor")) // a client may still be there
        .containsExactly(
            "cn=monitor",
            "cn=Caches,cn=Monitor",
            "cn=Windows,cn=Monitor",
            "cn=w,cn=Windows,cn=Monitor",
            "cn=Networks,cn=Monitor");
    JSONObject caches = ((JSONObject) entries.get(1)).getFieldAsObject("attributes");
    CacheStats cache = server.proxy().status().cache();
    assertThat(caches.getField("stoaFilterCacheMisses"))
        .isEqualTo(new JSONArray(new JSONString(Long.toString(cache.filterMisses()))));
    assertThat(caches.getFields()).doesNotContainKeys("entryDN", "stoaActions");
  }

  private static List<JSONValue> entries(HttpExchange answer) throws JSONException {
    return new JSONObject(answer.body()).getFieldAsArray("entries");
  }

  /** A base is a DN, so that other spellings name the same entry (RFC 4514, section 2.4). */
  @Test
  void subtreesAreNamedInAnySpelling() {
    String feed = "/monitor?base=CN%3Ddc%3Dexample%5C,dc%3Dcom%20,%20cn%3DFeeds";
    Await.until("the entry of the naming context is read", () -> entries(get(feed)).size() == 2);
  }

  /** Single connections are for LDAP, where a search can choose them. */
  @Test
  void theWholeTreeIsReadWithoutConnections() throws Exception {
    try (RawLdapClient client = RawLdapClient.from("127.0.0.9", server.addresses().get(0))) {
      client.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      client.call(Requests.search(InMemoryDirectory.PEOPLE).filter("(uid=x)").request());
      List<String> names =
          entries(get("/monitor")).stream()
              .map(entry -> ((JSONObject) entry).getFieldAsString("dn"))
              .toList();
      assertThat(names)
          .contains(
              "cn=127.0.0.9,cn=Networks,cn=Monitor",
              "cn=Filter cache sizes,cn=Advice,cn=Monitor",
              "cn=Warnings,cn=Monitor",
              "cn=Search,cn=Operations,cn=Monitor")
          .anyMatch(name -> name.endsWith(",cn=Digests,cn=Monitor"))
          .noneMatch(name -> name.startsWith("cn=Connection "));
    }
  }

  @Test
  void aWebPageCannotReadCnMonitor() {
    String[][] forbidden = {
      {"Host: attacker.example"},
      {"Host: 127.0.0.1.attacker.example:9389"},
      {"Host: localhost", "Origin: http://attacker.example"},
      {"Host: localhost", "Sec-Fetch-Site: cross-site"},
      {"Host: localhost", "Sec-Fetch-Site: same-site"},
      {},
    };
    for (String[] headers : forbidden) {
      HttpExchange answer = HttpExchange.request(management, "GET", "/monitor", headers);
      assertThat(answer.status()).as(String.join(", ", headers)).isEqualTo(403);
      assertThat(answer.body()).isEqualTo("allowed only from this host\n");
    }
    for (String host : List.of("localhost", "127.0.0.2:1", "[::1]:9")) {
      assertThat(HttpExchange.request(management, "GET", "/monitor", "Host: " + host).status())
          .isEqualTo(200);
    }
  }

  @Test
  void badRequestsForCnMonitorAreRefused() throws Exception {
    assertThat(HttpExchange.post(management, "/monitor", "Host: localhost").status())
        .isEqualTo(405);
    assertThat(get("/monitor?" + "base=cn=Feeds&".repeat(17)).status()).isEqualTo(400);
    assertThat(get("/monitor?base=%zz").body()).isEqualTo("the query is malformed\n");
    assertThat(entries(get("/monitor?base=cn%3Dnone&base=&base=%00%22%3C"))).hasSize(1);
    HttpExchange head = head(management, "/monitor");
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  /** Each file of the page comes with the policy that lets it run no foreign script. */
  @Test
  void filesOfThePageHaveAStrictPolicy() {
    for (String path : List.of("/", "/page.js", "/sections.js", "/page.css", "/icon.svg")) {
      HttpExchange answer = get(path);
      assertThat(answer.status()).as(path).isEqualTo(200);
      assertThat(String.join("\n", answer.head()))
          .contains("content-security-policy: default-src 'none'; script-src 'self'; ")
          .contains("frame-ancestors 'none'", "x-content-type-options: nosniff")
          .doesNotContain("unsafe", "access-control");
    }
    assertThat(get("/").body()).doesNotContain("style=", "onclick", "http://", "https://");
    for (String path : List.of("/page", "/page/index.html", "/../page.js", "/%2e%2e/logback.xml")) {
      assertThat(get(path).status()).as(path).isEqualTo(404);
    }
  }

  private boolean caching() {
    return server.proxy().status().cache().enabled();
  }

  @Test
  void otherPagesAndMethods() {
    assertThat(get("/metrics/x").status()).isEqualTo(404);
    HttpExchange answer = HttpExchange.post(management, "/metrics", "Host: localhost");
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.head()).contains("allow: get, head");
  }

  @Test
  void malformedAndLargeRequestsAreRefused() {
    assertThat(HttpExchange.send(management, "\u0000\u0001garbage\r\n\r\n").status())
        .isEqualTo(400);
    String large = "Host: localhost\r\nX: " + "x".repeat(20_000);
    assertThat(HttpExchange.request(management, "GET", "/livez", large).status())
        .isBetween(400, 431);
    String length = "Content-Length: 1000000";
    assertThat(HttpExchange.post(management, "/caching/off", "Host: localhost", length).status())
        .isEqualTo(413);
    assertThat(get("/livez").status()).isEqualTo(200);
  }

  /** Silent connections delay no other caller. */
  @Test
  void silentConnectionsAreBounded() throws Exception {
    try (Socket silent = new Socket(management.getAddress(), management.getPort())) {
      assertThat(get("/livez").status()).isEqualTo(200);
      assertThat(silent.isConnected()).isTrue();
    }
  }

  @Test
  void withoutAManagementListener() {
    ServerConfig config = TestServers.config(directory.port());
    try (StoaServer plain = TestServers.start(config.withManagement(ManagementConfig.NONE))) {
      assertThat(plain.managementAddress()).isNull();
    }
  }

  @Test
  void aConfiguredPortMustBeFree() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ListenerConfig there = new ListenerConfig("127.0.0.1", taken.getLocalPort());
      ServerConfig config = TestServers.config(directory.port());
      assertThatExceptionOfType(StartException.class)
          .isThrownBy(
              () -> StoaServer.start(config.withManagement(new ManagementConfig(there, false))))
          .withMessageStartingWith("cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": ");
    }
  }

  @Test
  void aDefaultPortInUseIsReplaced() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ListenerConfig there = new ListenerConfig("127.0.0.1", taken.getLocalPort());
      ServerConfig config = TestServers.config(directory.port());
      try (StoaServer other =
          TestServers.start(config.withManagement(new ManagementConfig(there, true)))) {
        InetSocketAddress address = Objects.requireNonNull(other.managementAddress());
        assertThat(address.getPort()).isNotEqualTo(taken.getLocalPort());
        assertThat(HttpExchange.get(address, "/livez").status()).isEqualTo(200);
      }
    }
  }
}
