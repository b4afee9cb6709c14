// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.LdapCommand.Output;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Repository;
import io.stoa.testing.Requests;
import io.stoa.write.WindowStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stoa is steered with ldapmodify, by actions of the entries that it shows. */
class OperatorIT {
  private static final String DN = "cn=admin,cn=configuration";
  private static final String PASSWORD = "correct horse";
  private static final String HASH =
      PasswordHash.of(PASSWORD.getBytes(StandardCharsets.UTF_8)).print();

  private static final Pattern EXAMPLE = Pattern.compile("(?s)```sh\\n(.*?)```");
  private static final List<String> EXAMPLES =
      List.of("reference/cn-configuration.md", "reference/monitor.md", "guides/windows.md");

  private static final String CACHES = "cn=Caches,cn=Monitor";
  private static final String WINDOW = "cn=people,cn=Windows,cn=Monitor";
  private static final String STOA = "cn=Stoa,cn=Configuration";
  private static final String SERVER =
      "cn=server 1,cn=tier 1,cn=Backend Tiers,cn=Load Balancer,cn=Backends,cn=Monitor";
  private static final String INCOMING =
      "cn=Incoming Connections,cn=Load Balancer,cn=Backends,cn=Monitor";

  private static final RawRequest WRITE =
      Requests.replace(InMemoryDirectory.person(1), "description", "new");

  @TempDir Path folder;

  private InMemoryDirectory directory;
  private InMemoryDirectory second;
  private StoaServer server;

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(50);
    second = InMemoryDirectory.start(50);
    write("cache: {maxAge: 1h}");
    server = run();
  }

  @AfterEach
  void stop() {
    server.close();
    directory.close();
    second.close();
  }

  private Path file() {
    return folder.resolve("stoa.yaml");
  }

  private void write(String... more) throws IOException {
    Files.writeString(
        file(),
        """
        listen: ['127.0.0.1:0', 'ldapi://%s']
        management: {listen: none}
        monitor: {readers: ['*']}
        writes: {windows: [{name: people, identity: 'cn=admin,dc=example,dc=com', every: 10s}]}
        admin: {passwordHash: '%s'}
        %s
        upstream:
          servers: ['ldap://127.0.0.1:%d', 'ldap://127.0.0.1:%d']
        """
                .formatted(
                    socket(), HASH, TestServers.eventLoops(more), directory.port(), second.port())
            + String.join("\n", more)
            + "\n");
  }

  private String socket() {
    return folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  private StoaServer run() throws Exception {
    RuntimeConfiguration tuning = RuntimeConfiguration.of(file());
    StoaServer started = StoaServer.start(tuning.config(), tuning);
    Await.until("Stoa is ready", () -> started.proxy().status().ready());
    return started;
  }

  private Output ldap(String command, String... more) {
    List<String> words =
        new ArrayList<>(List.of(command, "-Q", "-Y", "EXTERNAL", "-H", "ldapi://" + socket()));
    words.addAll(List.of(more));
    return LdapCommand.run(Map.of(), words.toArray(String[]::new));
  }

  private Output act(String dn, String action) throws IOException {
    return modify(dn, "replace: stoaAction", "stoaAction: " + action);
  }

  private Output modify(String dn, String... lines) throws IOException {
    String ldif = "dn: " + dn + "\nchangetype: modify\n" + String.join("\n", lines) + "\n";
    Path text = Files.writeString(folder.resolve("ldif"), ldif);
    return ldap("ldapmodify", "-v", "-f", text.toString());
  }

  private void done(String dn, String action) throws IOException {
    Output output = act(dn, action);
    assertThat(output.code()).as(output.text()).isZero();
  }

  private static void assertRefused(Output output, int code, String... words) {
    assertThat(output.code()).as(output.text()).isEqualTo(code);
    assertThat(List.of(words)).allSatisfy(word -> assertThat(output.text()).contains(word));
  }

  private String read(String dn, String... attributes) {
    List<String> words = new ArrayList<>(List.of("-LLL", "-o", "ldif-wrap=no", "-s", "base"));
    words.addAll(List.of("-b", dn, "(objectClass=*)"));
    words.addAll(List.of(attributes));
    return ldap("ldapsearch", words.toArray(String[]::new)).text();
  }

  private RawLdapClient writer() {
    return TestServers.rawClient(server)
        .bind(InMemoryDirectory.ROOT_DN, InMemoryDirectory.ROOT_PASSWORD);
  }

  private WindowStatus window() {
    return server.proxy().windows().status().get(0);
  }

  // What is shown

  @Test
  void readersSeeCountersAndTheAdministratorSeesNames() throws Exception {
    try (LDAPConnection anybody = TestServers.connect(server)) {
      assertThat(anybody.getEntry("cn=monitor").getAttributeValue("stoaInterface")).isEqualTo("1");
      SearchResultEntry caches = anybody.getEntry(CACHES, "*", "+");
      assertThat(caches.getObjectClassValues()).containsExactly("stoaCaches");
      assertThat(caches.getAttributeValue("stoaFilterCacheSize")).isEqualTo("100000");
      assertThat(caches.getAttributeValue("stoaCacheEnabled")).isEqualTo("TRUE");
      assertThat(caches.hasAttribute("stoaActions")).isFalse();
      SearchResultEntry window = anybody.getEntry(WINDOW, "+");
      assertThat(window.getAttributeValue("stoaWindowEvery")).isEqualTo("10000");
      assertThat(window.getAttributeValue("stoaWindowState")).isEqualTo("open");
      assertThat(window.hasAttribute("stoaWindowIdentity")).isFalse();
      SearchResultEntry one = anybody.getEntry(SERVER, "+");
      assertThat(one.getAttributeValue("stoaServerRole")).isEqualTo("primary");
      assertThat(one.getAttributeValue("stoaServerWeight")).isEqualTo("1");
      assertThat(one.hasAttribute("stoaServerLag")).as("a lag that is not known").isFalse();
      assertThat(one.getAttributeValueAsLong("stoaServerLatency")).isNotNegative();
    }
    assertThat(read(WINDOW, "+"))
        .contains("stoaWindowIdentity: cn=admin,dc=example,dc=com", "stoaActions: pause\n");
    assertThat(read(CACHES, "stoaActions")).contains("stoaActions: flush subtree DN\n");
    assertThat(read(SERVER, "stoaActions"))
        .contains("stoaActions: drain\n", "stoaActions: weight N\n");
    assertThat(read(STOA, "stoaActions")).contains("stoaActions: reload\n");
  }

  /** A client computes from two readings how long the operations between them took. */
  @Test
  void operationTimesAddUp() throws Exception {
    try (LDAPConnection client = TestServers.connect(server)) {
      long before = nanos(client);
      client.search(InMemoryDirectory.PEOPLE, SearchScope.ONE, "(description=nobody)");
      assertThat(nanos(client) - before).isPositive();
      assertThat(client.getEntry("cn=Search,cn=Operations,cn=Monitor", "stoaNanos"))
          .satisfies(
              search ->
                  assertThat(search.getAttributeValueAsLong("stoaNanos"))
                      .isLessThanOrEqualTo(nanos(client)));
    }
  }

  private static long nanos(LDAPConnection client) {
    try {
      return client
          .getEntry("cn=Operations,cn=Monitor", "stoaNanos")
          .getAttributeValueAsLong("stoaNanos");
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void fileValuesAndEffectiveValuesAreShown() throws Exception {
    assertThat(modify(STOA, "replace: stoa-cache-maxAge", "stoa-cache-maxAge: 2h").code()).isZero();
    assertThat(read(STOA, "stoa-cache-maxAge")).contains("stoa-cache-maxAge: 120m");
    assertThat(read("cn=File," + STOA, "stoa-cache-maxAge")).contains("stoa-cache-maxAge: 60m");
    assertThat(read(STOA)).doesNotContain("stoaRestartNeeded");
    write("cache: {maxAge: 3h}", "eventLoops: 3");
    Output reloaded = act(STOA, "reload");
    assertThat(reloaded.code()).as(reloaded.text()).isZero();
    assertThat(read(STOA)).contains("stoaRestartNeeded: eventLoops\n", "stoa-cache-maxAge: 120m");
    assertThat(read("cn=File," + STOA, "stoa-cache-maxAge")).contains("stoa-cache-maxAge: 180m");
    assertRefused(modify("cn=File," + STOA, "replace: stoa-cache-maxAge"), 65);
  }

  // Windows

  @Test
  void aWindowIsFlushedPausedAndResumed() throws Exception {
    try (RawLdapClient client = writer()) {
      int first = client.send(WRITE);
      Await.until("it waits", () -> window().waiting() == 1);
      done(WINDOW, "flush");
      assertThat(RawLdapClient.last(client.await(first)).resultCode()).isZero();
      done(WINDOW, "pause");
      assertThat(read(WINDOW, "stoaWindowState")).contains("stoaWindowState: paused");
      assertThat(client.code(WRITE)).isZero();
      done(WINDOW, "resume");
      int second = client.send(WRITE);
      Await.until("it waits", () -> window().waiting() == 1);
      assertThat(read(WINDOW, "stoaWindowWaiting", "stoaWindowState"))
          .contains("stoaWindowWaiting: 1", "stoaWindowState: open");
      done(WINDOW, "flush");
      assertThat(RawLdapClient.last(client.await(second)).resultCode()).isZero();
    }
  }

  /** When it is answered, the directory has done what waited. */
  @Test
  void aFlushEndsWithTheLastAnswer() throws Exception {
    try (RawLdapClient client = writer()) {
      int first = client.send(WRITE);
      Await.until("it waits", () -> window().waiting() == 1);
      done(WINDOW, "flush");
      assertThat(directory.server().getEntry(InMemoryDirectory.person(1)))
          .satisfies(entry -> assertThat(entry.hasAttributeValue("description", "new")).isTrue());
      assertThat(RawLdapClient.last(client.await(first)).resultCode()).isZero();
    }
    done(WINDOW, "flush");
  }

  /** One write keeps the window busy while another one waits: both are done. */
  @Test
  void aFlushIncludesWritesOfABurst() throws Exception {
    try (RawLdapClient client = writer();
        RawLdapClient other = writer()) {
      for (int i = 0; i < 20; i++) {
        int first = client.send(WRITE);
        Await.until("it waits", () -> window().waiting() == 1);
        CompletableFuture<?> one = server.proxy().windows().flush("people").orElseThrow();
        int second = other.send(WRITE);
        CompletableFuture<?> two = server.proxy().windows().flush("people").orElseThrow();
        CompletableFuture.allOf(one, two).get(10, TimeUnit.SECONDS);
        assertThat(RawLdapClient.last(client.await(first)).resultCode()).isZero();
        done(WINDOW, "flush");
        assertThat(RawLdapClient.last(other.await(second)).resultCode()).isZero();
      }
    }
  }

  @Test
  void theClosingOfAWindowCanBeChanged() throws Exception {
    String closing = "stoa-writes-windowOverrides: ";
    String replace = "replace: stoa-writes-windowOverrides";
    assertThat(modify(STOA, replace, closing + "people every 20ms maxOperations 7").code())
        .isZero();
    assertThat(read(WINDOW, "stoaWindowEvery")).contains("stoaWindowEvery: 20\n");
    try (RawLdapClient client = writer()) {
      assertThat(client.code(WRITE)).isZero();
    }
    done(STOA, "reload");
    assertThat(read(STOA, "stoa-writes-windowOverrides"))
        .contains(closing + "people every 20ms maxOperations 7");
    assertRefused(modify(STOA, replace, closing + "people every 20s"), 19, "above 10 s");
    assertRefused(modify(STOA, replace, closing + "others every 1s"), 19, "defined are: people");
    assertRefused(modify(STOA, replace, closing + "people"), 21, "NAME [every TIME]");
    assertThat(modify(STOA, replace, closing + "people maxOperations 3").code()).isZero();
    assertThat(read(WINDOW, "stoaWindowEvery")).contains("stoaWindowEvery: 10000");
  }

  @Test
  void theOverridesOfARemovedWindowAreDropped() throws Exception {
    String value = "stoa-writes-windowOverrides: people every 20ms";
    assertThat(modify(STOA, "replace: stoa-writes-windowOverrides", value).code()).isZero();
    server.close();
    Files.writeString(file(), Files.readString(file()).replace("name: people", "name: others"));
    server = run();
    assertThat(read(STOA, "stoa-writes-windowOverrides")).doesNotContain("people");
  }

  // Clients

  /** More than are given without a pause. */
  @Test
  void longClientListsAreComplete() throws Exception {
    List<RawLdapClient> many = new ArrayList<>();
    try {
      for (int i = 0; i < 300; i++) {
        many.add(TestServers.rawClient(server));
      }
      Await.until("all are there", () -> server.proxy().status().connections() >= 300);
      Output all = ldap("ldapsearch", "-LLL", "-b", "cn=monitor", "(olmConnectionType=*)", "1.1");
      assertThat(all.code()).as(all.text()).isZero();
      assertThat(all.text().split("dn: ")).hasSizeGreaterThan(300);
    } finally {
      many.forEach(RawLdapClient::close);
    }
  }

  @Test
  void aClientIsDisconnectedByEitherEntry() throws Exception {
    for (String parent : List.of("cn=Connections,cn=Monitor", INCOMING)) {
      try (RawLdapClient client = TestServers.rawClient(server)) {
        String dn = "cn=Connection " + number(client) + "," + parent;
        done(dn, "disconnect");
        assertThat(client.closesWithin(Duration.ofSeconds(10))).isTrue();
        assertRefused(act(dn, "disconnect"), 32);
      }
    }
    try (RawLdapClient client = TestServers.rawClient(server)) {
      String dn = "cn=Connection " + number(client) + "," + INCOMING;
      assertRefused(
          modify(dn, "replace: olmConnectionState", "olmConnectionState: ready"), 21, "disconnect");
      Output closed = modify(dn, "replace: olmConnectionState", "olmConnectionState: closing");
      assertThat(closed.code()).as(closed.text()).isZero();
      assertThat(client.closesWithin(Duration.ofSeconds(10))).isTrue();
    }
  }

  private long number(RawLdapClient client) throws Exception {
    assertThat(client.code(search("").baseScope().request())).isZero();
    return server.proxy().survey(ClientChoice.ALL).get().stream()
        .filter(status -> status.peer().endpoint() != null)
        .filter(status -> status.peer().endpoint().getPort() == client.port())
        .mapToLong(ClientStatus::number)
        .findFirst()
        .orElseThrow();
  }

  // Connections to directory servers

  private String connections(String base, String filter) {
    String all = "(&(objectClass=olmBalancerConnection)(olmConnectionType=regular)" + filter + ")";
    return ldap("ldapsearch", "-LLL", "-o", "ldif-wrap=no", "-b", base, all, "+").text();
  }

  private static String found(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher.group(1);
  }

  @Test
  void upstreamConnectionsAreListedAndClosed() throws Exception {
    try (RawLdapClient client = writer();
        RawLdapClient anybody = TestServers.rawClient(server)) {
      assertThat(client.code(search(InMemoryDirectory.person(1)).baseScope().request())).isZero();
      String one =
          connections("cn=monitor", "(olmConnectionAuthzDN=" + InMemoryDirectory.ROOT_DN + ")");
      String dn = found("dn: (cn=Connection \\d+,cn=server \\d,cn=tier 1,.*)\n", one);
      String itsServer = dn.substring(dn.indexOf(',') + 1);
      assertThat(one)
          .contains("olmConnectionState: ready\n", "olmPendingOps: 0\n", "olmFailedOps: 0\n")
          .contains("olmConnectionLocalAddress: IP=127.0.0.1:", "stoaActions: close\n");
      assertThat(found("olmReceivedOps: (\\d+)", one))
          .isEqualTo(found("olmCompletedOps: (\\d+)", one));
      assertThat(connections(itsServer, "")).contains(dn);
      assertThat(anybody.call(search(itsServer).request())).hasSize(2);
      assertThat(client.code(search(dn).baseScope().request())).isEqualTo(32);
      assertThat(client.code(Requests.replace(dn, "olmConnectionState", "closing"))).isEqualTo(50);
      assertRefused(
          modify(dn, "replace: olmConnectionState", "olmConnectionState: ready"), 21, "close");
      Output closed = modify(dn, "replace: olmConnectionState", "olmConnectionState: closing");
      assertThat(closed.code()).as(closed.text()).isZero();
      Await.until("it has ended", () -> !connections(itsServer, "").contains(dn));
      assertRefused(act(dn, "close"), 32);
      assertThat(client.code(search(InMemoryDirectory.person(2)).baseScope().request())).isZero();
    }
  }

  /** A listener counts who comes, and nobody is named. */
  @Test
  void listenersCountTheirConnections() throws Exception {
    try (LDAPConnection first = TestServers.connect(server);
        LDAPConnection other = TestServers.connect(server)) {
      assertThat(first.getRootDSE()).isNotNull();
      SearchResultEntry listener = other.getEntry("cn=Listener 0,cn=Listeners,cn=Monitor", "+");
      assertThat(listener.getAttributeValue("monitorTotalListenerConnections")).isEqualTo("2");
      SearchResultEntry local = other.getEntry("cn=Listener 1,cn=Listeners,cn=Monitor", "+");
      assertThat(local.getAttributeValue("monitorTotalListenerConnections")).isEqualTo("0");
    }
  }

  // What is refused

  @Test
  void actionsOfOtherClientsAreRefused() throws Exception {
    try (RawLdapClient anybody = TestServers.rawClient(server);
        RawLdapClient bound = writer()) {
      for (RawLdapClient client : List.of(anybody, bound)) {
        long number = number(client);
        for (String dn :
            List.of(
                CACHES,
                WINDOW,
                SERVER,
                STOA,
                "cn=Connection " + number + ",cn=Connections,cn=Monitor",
                "cn=Connection 999999,cn=Connections,cn=Monitor",
                "cn=nobody,cn=Monitor")) {
          assertThat(client.code(Requests.replace(dn, "stoaAction", "flush"))).as(dn).isEqualTo(50);
        }
      }
    }
  }

  @Test
  void anInvalidActionIsRefusedWithItsSyntax() throws Exception {
    assertRefused(act(CACHES, "empty"), 21, "flush entry DN", "flush identity DN");
    assertRefused(act(CACHES, "flush everything"), 21, "flush subtree DN");
    assertRefused(act(CACHES, "flush entry"), 21, "DN");
    assertRefused(act(CACHES, "flush entry no name"), 21, "not a DN");
    assertRefused(act(SERVER, "weight"), 21, "weight");
    assertRefused(act(SERVER, "weight 0"), 21, "weight");
    assertRefused(act(SERVER, "drain now"), 21, "weight N");
    assertRefused(modify(CACHES, "replace: description", "description: x"), 17, "description");
    assertRefused(modify(CACHES, "delete: stoaAction"), 21, "one value");
    assertRefused(
        modify(CACHES, "add: stoaAction", "stoaAction: flush", "stoaAction: drain"), 21, "one");
    assertRefused(act("cn=nobody,cn=Windows,cn=Monitor", "flush"), 32);
    assertRefused(act("cn=Time,cn=Monitor", "flush"), 53);
    assertRefused(act("cn=Front End,cn=Configuration", "flush"), 53);
    assertRefused(act(STOA, "shutdown"), 53, "another process");
    assertThat(ldap("ldapdelete", CACHES).code()).isEqualTo(53);
  }

  @Test
  void aCriticalControlThatIsNotKnownRefusesTheAction() throws Exception {
    Path text =
        Files.writeString(
            folder.resolve("ldif"),
            "dn: " + CACHES + "\nchangetype: modify\nadd: stoaAction\nstoaAction: flush\n");
    assertThat(ldap("ldapmodify", "-e", "!1.2.3.4", "-f", text.toString()).code()).isEqualTo(12);
    assertThat(ldap("ldapmodify", "-M", "-f", text.toString()).code()).isZero();
  }

  // Servers

  @Test
  void serverOverridesOutliveARestart() throws Exception {
    done(SERVER, "weight 7");
    assertThat(read(SERVER, "stoaServerWeight")).contains("stoaServerWeight: 7");
    done(SERVER, "drain");
    assertThat(read(SERVER, "health-check-state")).contains("health-check-state: DRAINED");
    assertThat(read(STOA, "stoa-upstream-overrides"))
        .contains(
            "stoa-upstream-overrides: ldap://127.0.0.1:" + directory.port() + " drained weight 7");
    assertThat(Files.readString(folder.resolve("stoa.yaml.changes"))).contains(" drained weight 7");
    server.close();
    RuntimeConfiguration tuning = RuntimeConfiguration.of(file());
    server = StoaServer.start(tuning.config(), tuning);
    assertThat(read(SERVER, "health-check-state", "stoaServerWeight"))
        .contains("health-check-state: DRAINED", "stoaServerWeight: 7");
    done(SERVER, "resume");
    Await.until("it is used", () -> server.proxy().status().ready());
    assertThat(read(STOA, "stoa-upstream-overrides"))
        .contains(" weight 7")
        .doesNotContain("drained");
    assertThat(modify(STOA, "delete: stoa-upstream-overrides").code()).isZero();
    assertThat(read(SERVER, "stoaServerWeight")).contains("stoaServerWeight: 1");
    done(SERVER, "reconnect");
  }

  @Test
  void aServerDrainedByTheFileIsResumed() throws Exception {
    server.close();
    String url = "ldap://127.0.0.1:" + directory.port();
    Files.writeString(
        file(),
        Files.readString(file())
            .replace("'" + url + "'", "{url: '" + url + "', drained: true, weight: 3}"));
    RuntimeConfiguration tuning = RuntimeConfiguration.of(file());
    server = StoaServer.start(tuning.config(), tuning);
    done(SERVER, "resume");
    Await.until("it is used", () -> server.proxy().status().ready());
    assertThat(read(STOA, "stoa-upstream-overrides")).contains(url + " used\n");
    assertThat(read(SERVER, "stoaServerWeight")).contains("stoaServerWeight: 3");
  }

  /** What the file says in both places is gone against, whatever else is said of others. */
  @Test
  void aServerWithAConflictingFileIsResumed() throws Exception {
    server.close();
    String url = "ldap://127.0.0.1:" + directory.port();
    write("  overrides: ['" + url + " used']");
    Files.writeString(
        file(),
        Files.readString(file())
            .replaceFirst("'" + url + "'", "{url: '" + url + "', drained: true}"));
    server = run();
    done(SERVER.replace("server 1", "server 2"), "weight 7");
    done(SERVER, "drain");
    done(SERVER, "resume");
    assertThat(read(SERVER, "health-check-state")).doesNotContain("DRAINED");
    assertThat(read(STOA, "stoa-upstream-overrides")).contains(url + " used\n");
  }

  /**
   * The usual way to take a server away: it is drained, and then it is not in the file any more.
   */
  @Test
  void theOverridesOfARemovedServerAreDropped() throws Exception {
    String other = SERVER.replace("server 1", "server 2");
    done(SERVER, "weight 7");
    done(other, "drain");
    String all = Files.readString(file());
    String gone = ", 'ldap://127.0.0.1:" + second.port() + "'";
    Files.writeString(file(), all.replace(gone, ""));
    done(STOA, "reload");
    assertRefused(act(other, "weight 2"), 53, "127.0.0.1:" + second.port() + " is not one of");
    server.close();
    server = run();
    assertThat(read(STOA, "stoa-upstream-overrides"))
        .contains(" weight 7")
        .doesNotContain("drained");
  }

  @Test
  void aRevertedOverrideLeavesTheFileInEffect() throws Exception {
    String one = "ldap://127.0.0.1:" + directory.port();
    write("  overrides: ['" + one + " weight 5']");
    done(STOA, "reload");
    String other = SERVER.replace("server 1", "server 2");
    done(other, "drain");
    done(other, "resume");
    write("  overrides: ['" + one + " weight 6']");
    done(STOA, "reload");
    assertThat(read(SERVER, "stoaServerWeight")).contains("stoaServerWeight: 6");
  }

  @Test
  void theLastServerIsNotDrained() throws Exception {
    done(SERVER.replace("server 1", "server 2"), "drain");
    assertRefused(act(SERVER, "drain"), 53, "the last server of a directory");
    assertThat(server.proxy().status().ready()).isTrue();
  }

  @Test
  void onlyServersOfTheConfigurationCanBeNamed() throws Exception {
    assertRefused(
        modify(
            STOA,
            "replace: stoa-upstream-overrides",
            "stoa-upstream-overrides: ldap://192.0.2.1:389 drained"),
        19,
        "ldap://192.0.2.1:389 is not one of the configured servers: ldap://127.0.0.1:"
            + directory.port());
    String url = "ldap://127.0.0.1:" + directory.port();
    assertRefused(
        modify(
            STOA,
            "replace: stoa-upstream-overrides",
            "stoa-upstream-overrides: " + url + " drained",
            "stoa-upstream-overrides: " + url + " weight 3"),
        19,
        "twice");
    assertRefused(
        modify(STOA, "replace: stoa-upstream-overrides", "stoa-upstream-overrides: " + url + " x"),
        21,
        "URL [drained|used] [weight NUMBER]");
  }

  // The whole

  @Test
  void anInvalidFileIsNotLoaded() throws Exception {
    write("cache: {maxAge: soon}", "nonsense: 1");
    assertRefused(act(STOA, "reload"), 53, "stoa.yaml:");
    assertRefused(act(STOA, "reload"), 53, "cache.maxAge");
    assertRefused(act(STOA, "reload"), 53, "nonsense");
    assertThat(read(STOA, "stoa-cache-maxAge")).contains("stoa-cache-maxAge: 60m");
  }

  @Test
  void shutdownIsAnsweredFirst() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    server.onShutdown(ended::countDown);
    done(STOA, "shutdown");
    assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void hundredConcurrentActionsAreDone() throws Exception {
    try (RawLdapClient admin = TestServers.rawClient(server).bind(DN, PASSWORD)) {
      List<Integer> ids = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String dn = i % 2 == 0 ? CACHES : WINDOW;
        ids.add(
            admin.send(
                Requests.modify(
                    dn, new Modification(ModificationType.ADD, "stoaAction", "flush"))));
      }
      for (int id : ids) {
        assertThat(RawLdapClient.last(admin.await(id)).resultCode()).isZero();
      }
    }
  }

  // The documents

  /** The commands of the documents work as they stand. */
  @Test
  void examplesOfTheDocumentsWork() throws Exception {
    String list = "stoa-cache-exclusions-subtrees"; // one of them takes the value of a list
    modify("cn=Stoa,cn=Configuration", "replace: " + list, list + ": ou=payroll,dc=example,dc=com");
    int examples = 0;
    for (String document : EXAMPLES) {
      Matcher block =
          EXAMPLE.matcher(Files.readString(Repository.root().resolve("docs").resolve(document)));
      while (block.find()) {
        String script = block.group(1).replace("%2Frun%2Fstoa%2Fldapi", socket());
        if (!script.equals(block.group(1))) {
          Output output = LdapCommand.run(Map.of(), "sh", "-c", script);
          assertThat(output.code()).as(document + ": " + script + output.text()).isZero();
          examples++;
        }
      }
    }
    assertThat(examples).isGreaterThanOrEqualTo(7);
  }
}
