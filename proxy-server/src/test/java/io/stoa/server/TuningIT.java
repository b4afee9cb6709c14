// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.Held;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.LdapCommand.Output;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cn=configuration}: read and changed with the tools of OpenLDAP while Stoa runs. */
class TuningIT {
  private static final String FRONT_END = "cn=Front End, cn=Configuration";
  private static final String DIRECTORY =
      "cn=Directory,cn=RDBM Backends,cn=IBM Directory,cn=Schemas,cn=Configuration";
  private static final String STOA = "cn=Stoa,cn=Configuration";

  private static final String BASE = "dc=example,dc=com";

  /** As the tuning guide of IBM Directory Server 5.1 has it. */
  private static final String GUIDE =
      """
      dn: cn=Directory,cn=RDBM Backends,cn=IBM Directory,cn=Schemas,cn=Configuration
      changetype: modify
      replace: ibm-slapdDbConnections
      ibm-slapdDbConnections: 15

      dn: cn=Front End, cn=Configuration
      changetype: modify
      replace: ibm-slapdACLCache
      ibm-slapdACLCache: TRUE
      -
      replace: ibm-slapdACLCacheSize
      ibm-slapdACLCacheSize: 25000
      -
      replace: ibm-slapdEntryCacheSize
      ibm-slapdEntryCacheSize: 25000
      -
      replace: ibm-slapdFilterCacheSize
      ibm-slapdFilterCacheSize: 25000
      -
      replace: ibm-slapdFilterCacheBypassLimit
      ibm-slapdFilterCacheBypassLimit: 100
      """;

  @TempDir Path folder;

  private InMemoryDirectory directory;
  private StoaServer server;

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(50);
    write("cache: {maxAge: 1h}");
    server = run();
  }

  @AfterEach
  void stop() {
    server.close();
    directory.close();
  }

  private Path file() {
    return folder.resolve("stoa.yaml");
  }

  private Path changes() {
    return folder.resolve("stoa.yaml.changes");
  }

  private void write(String... more) throws IOException {
    Files.writeString(
        file(),
        """
        listen: ['127.0.0.1:0', 'ldapi://%s']
        management: {listen: none}
        %s
        upstream:
          servers: ['ldap://127.0.0.1:%d']
        """
                .formatted(socket(), TestServers.eventLoops(more), directory.port())
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

  private void restart() throws Exception {
    server.close();
    server = run();
  }

  private Output ldapmodify(String ldif) throws IOException {
    Path text = Files.writeString(folder.resolve("ldif"), ldif);
    return ldap("ldapmodify", "-f", text.toString());
  }

  private Output ldap(String command, String... more) {
    List<String> words =
        new ArrayList<>(List.of(command, "-Q", "-Y", "EXTERNAL", "-H", "ldapi://" + socket()));
    words.addAll(List.of(more));
    return LdapCommand.run(Map.of(), words.toArray(String[]::new));
  }

  private Output replace(String dn, String attribute, String... values) throws IOException {
    StringBuilder ldif = new StringBuilder("dn: " + dn + "\nchangetype: modify\n");
    ldif.append("replace: ").append(attribute).append('\n');
    for (String value : values) {
      ldif.append(attribute).append(": ").append(value).append('\n');
    }
    return ldapmodify(ldif.toString());
  }

  private String read(String dn, String... attributes) {
    List<String> words = new ArrayList<>(List.of("-LLL", "-s", "base", "-b", dn));
    words.addAll(List.of("(objectClass=*)"));
    words.addAll(List.of(attributes));
    return ldap("ldapsearch", words.toArray(String[]::new)).text();
  }

  private static void find(RawLdapClient client, int people) {
    for (int number = 1; number <= people; number++) {
      String filter = "(uid=user." + number + ")";
      assertThat(client.code(search(BASE).filter(filter).attributes("uid").request())).isZero();
    }
  }

  // What it shows

  @Test
  void onlyTheAdministratorReadsCnConfiguration() throws LDAPException {
    assertThat(read(FRONT_END))
        .contains(
            "ibm-slapdACLCache: TRUE",
            "ibm-slapdACLCacheSize: 100000",
            "ibm-slapdEntryCacheSize: 100000",
            "ibm-slapdFilterCacheSize: 100000",
            "ibm-slapdFilterCacheBypassLimit: 100",
            "ibm-slapdIdleTimeOut: 0");
    assertThat(read(DIRECTORY)).contains("ibm-slapdDbConnections: 1000");
    assertThat(read(STOA))
        .contains("stoa-cache-maxAge: ", "stoa-limits-connections: 20000")
        .doesNotContain("asswordHash");
    assertThat(ldap("ldapsearch", "-LLL", "-b", "cn=configuration", "(cn=front end)", "1.1").text())
        .isEqualToIgnoringNewLines("dn: " + FRONT_END);
    try (LDAPConnection bound = TestServers.connect(server);
        RawLdapClient anybody = TestServers.rawClient(server)) {
      assertThat(anybody.code(search("cn=configuration").request())).isEqualTo(50);
      bound.bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD);
      assertThat(bound.isConnected()).isTrue();
    }
    assertThat(read("", "+")).contains("configContext: cn=configuration");
  }

  // What it changes

  @Test
  void theLdifOfTheGuideWorks() throws Exception {
    Output done = ldapmodify(GUIDE);
    assertThat(done.code()).as(done.text()).isZero();
    assertThat(read(DIRECTORY)).contains("ibm-slapdDbConnections: 15\n");
    assertThat(read(FRONT_END)).contains("ibm-slapdFilterCacheSize: 25000\n");
    assertThat(server.proxy().status().cache().filterSize()).isEqualTo(25_000);
    assertThat(server.proxy().status().cache().entrySize()).isEqualTo(25_000);
    restart();
    assertThat(read(DIRECTORY)).contains("ibm-slapdDbConnections: 15\n");
    assertThat(server.proxy().status().cache().filterSize()).isEqualTo(25_000);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(changes())))
        .isEqualTo("rw-------");
  }

  @Test
  void shrinkingACacheEvictsTheExcess() throws Exception {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      find(client, 40);
      assertThat(server.proxy().status().cache().filterCurrent()).isEqualTo(40);
      assertThat(replace(FRONT_END, "ibm-slapdFilterCacheSize", "10").code()).isZero();
      long kept = server.proxy().status().cache().filterCurrent();
      assertThat(kept).isBetween(1L, 10L);
      long hits = server.proxy().status().cache().filterHits();
      find(client, 40);
      assertThat(server.proxy().status().cache().filterHits()).isGreaterThan(hits);
      assertThat(server.proxy().status().cache().filterCurrent()).isLessThanOrEqualTo(10);
      assertThat(replace(FRONT_END, "ibm-slapdFilterCacheSize", "0").code()).isZero();
      hits = server.proxy().status().cache().filterHits();
      find(client, 5);
      assertThat(server.proxy().status().cache().filterHits()).isEqualTo(hits);
    }
  }

  @Test
  void withoutTheAclCacheOnlyAnonymousClientsHit() throws Exception {
    try (RawLdapClient anonymous = TestServers.rawClient(server);
        RawLdapClient bound =
            TestServers.rawClient(server)
                .bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD)) {
      assertThat(hits(bound)).as("with it").isEqualTo(1);
      assertThat(replace(FRONT_END, "ibm-slapdACLCache", "FALSE").code()).isZero();
      assertThat(hits(bound)).as("without it").isZero();
      assertThat(read("cn=monitor", "acl_cache")).contains("acl_cache: FALSE");
      assertThat(hits(anonymous)).as("anonymous").isEqualTo(1);
      assertThat(replace(FRONT_END, "ibm-slapdACLCache", "TRUE").code()).isZero();
      assertThat(hits(bound)).as("with it again").isEqualTo(1);
    }
  }

  /** How many of two equal searches are answered from memory. */
  private long hits(RawLdapClient client) {
    long before = server.proxy().status().cache().filterHits();
    find(client, 1);
    find(client, 1);
    return server.proxy().status().cache().filterHits() - before;
  }

  @Test
  void identitiesBeyondTheAclCacheSizeLoseTheirResults() throws Exception {
    assertThat(replace(FRONT_END, "ibm-slapdACLCacheSize", "0").code()).isZero();
    try (RawLdapClient bound =
        TestServers.rawClient(server)
            .bind(InMemoryDirectory.person(1), InMemoryDirectory.PASSWORD)) {
      assertThat(hits(bound)).isZero();
      assertThat(replace(FRONT_END, "ibm-slapdACLCacheSize", "1").code()).isZero();
      assertThat(hits(bound)).isEqualTo(1);
    }
  }

  @Test
  void aCacheExclusionHoldsAtOnce() throws Exception {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(hits(client)).isEqualTo(1);
      Output done = replace(STOA, "stoa-cache-exclusions-subtrees", BASE, "dc=other");
      assertThat(done.code()).as(done.text()).isZero();
      assertThat(hits(client)).isZero();
      assertThat(replace(STOA, "stoa-cache-exclusions-subtrees").code()).isZero();
      assertThat(hits(client)).isEqualTo(1);
    }
  }

  @Test
  void clientLimitsChangeAtOnce() throws Exception {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(replace(FRONT_END, "ibm-slapdIdleTimeOut", "1").code()).isZero();
      assertThat(read(STOA, "stoa-limits-idleTimeout")).contains("stoa-limits-idleTimeout: 1s");
      assertThat(client.closesWithin(Duration.ofSeconds(20))).isTrue();
    }
  }

  /** The limits that the guide has, at the entries where IBM Directory has them. */
  private static final String LIMITS =
      """
      dn: cn=Configuration
      changetype: modify
      replace: ibm-slapdSizeLimit
      ibm-slapdSizeLimit: 7
      -
      replace: ibm-slapdTimeLimit
      ibm-slapdTimeLimit: 900

      dn: cn=Directory,cn=RDBM Backends,cn=IBM Directory,cn=Schemas,cn=Configuration
      changetype: modify
      replace: ibm-slapdPagedResAllowNonAdmin
      ibm-slapdPagedResAllowNonAdmin: FALSE
      -
      replace: ibm-slapdPagedResLmt
      ibm-slapdPagedResLmt: 3
      -
      replace: ibm-slapdPageSizeLmt
      ibm-slapdPageSizeLmt: 5
      -
      replace: ibm-slapdSortKeyLimit
      ibm-slapdSortKeyLimit: 3
      -
      replace: ibm-slapdSortSrchAllowNonAdmin
      ibm-slapdSortSrchAllowNonAdmin: FALSE

      dn: cn=Front End, cn=Configuration
      changetype: modify
      replace: ibm-slapdIdleTimeOut
      ibm-slapdIdleTimeOut: 300
      """;

  @Test
  void theSearchLimitsAreOffByDefault() throws Exception {
    assertThat(read("cn=configuration"))
        .contains("ibm-slapdSizeLimit: 0\n", "ibm-slapdTimeLimit: 0\n");
    assertThat(read(DIRECTORY))
        .contains(
            "ibm-slapdPagedResAllowNonAdmin: TRUE\n",
            "ibm-slapdPagedResLmt: 0\n",
            "ibm-slapdPageSizeLmt: 0\n",
            "ibm-slapdSortKeyLimit: 0\n",
            "ibm-slapdSortSrchAllowNonAdmin: TRUE\n");
    RawRequest all = search(BASE).attributes("uid").request();
    RawRequest paged = all.with(new SimplePagedResultsControl(5, new ASN1OctetString(), true));
    RawRequest sorted = all.with(new ServerSideSortRequestControl(true, new SortKey("uid")));
    try (RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(codes(client, all, paged, sorted)).containsExactly(0, 0, 0);
      Output done = ldapmodify(LIMITS);
      assertThat(done.code()).as(done.text()).isZero();
      assertThat(codes(client, all, paged, sorted)).containsExactly(4, 50, 50);
      assertThat(client.call(all)).hasSize(7 + 1);
      restart();
    }
    try (RawLdapClient client = TestServers.rawClient(server)) {
      assertThat(codes(client, all, paged, sorted)).containsExactly(4, 50, 50);
      assertThat(replace("cn=configuration", "ibm-slapdSizeLimit").code()).isZero();
      assertThat(replace(DIRECTORY, "ibm-slapdPagedResAllowNonAdmin", "TRUE").code()).isZero();
      assertThat(codes(client, all, paged, sorted)).containsExactly(0, 0, 50);
    }
  }

  private static List<Integer> codes(RawLdapClient client, RawRequest... requests) {
    return Stream.of(requests).map(client::code).toList();
  }

  @Test
  void adminNetworksAndListenersChangeAtOnce() throws Exception {
    try (RawLdapClient client = TestServers.rawClient(server)) {
      RawRequest monitor = search("cn=monitor").baseScope().request();
      assertThat(client.code(monitor)).isZero();
      assertThat(replace(STOA, "stoa-admin-networks", "10.0.0.0/8").code()).isZero();
      assertThat(client.code(monitor)).isEqualTo(50);
      assertThat(replace(STOA, "stoa-admin-networks").code()).isZero();
      assertThat(client.code(monitor)).isZero();
      assertRefused(replace(STOA, "stoa-admin-listeners", ":1"), 19, "stoa-admin-listeners");
    }
  }

  @Test
  void theDrainTimeoutChangesAtOnce() throws Exception {
    try (ScriptedUpstream upstream = ScriptedUpstream.start()) {
      server.close();
      write("drainTimeout: 1h");
      String text = Files.readString(file());
      Files.writeString(file(), text.replace(":" + directory.port(), ":" + upstream.port()));
      server = run();
      Held held = upstream.hold(request -> request.isSearchFor("ou=slow"));
      try (RawLdapClient client = TestServers.rawClient(server)) {
        client.send(search("ou=slow," + BASE).request());
        held.awaitArrival();
        assertThat(replace(STOA, "stoa-drainTimeout", "10ms").code()).isZero();
        server.drain();
      }
    }
  }

  // What it refuses

  @Test
  void aWrongValueGetsItsResultCodeAndNamesTheAttribute() throws Exception {
    assertRefused(replace(FRONT_END, "ibm-slapdFilterCacheSize", "many"), 21, "FilterCacheSize");
    assertRefused(replace(FRONT_END, "ibm-slapdACLCache", "perhaps"), 21, "ibm-slapdACLCache");
    assertRefused(replace(FRONT_END, "ibm-slapdFilterCacheSize", "-1"), 19, "FilterCacheSize");
    assertRefused(replace(DIRECTORY, "ibm-slapdDbConnections", "0"), 19, "ibm-slapdDbConnections");
    assertRefused(replace(FRONT_END, "ibm-slapdEntryCacheSize", "1", "2"), 19, "EntryCacheSize");
    assertRefused(replace(FRONT_END, "ibm-slapdNothing", "1"), 17, "ibm-slapdNothing");
    assertRefused(replace(FRONT_END, "ibm-slapdDbConnections", "1"), 65, "ibm-slapdDbConnections");
    assertRefused(replace(STOA, "stoa-eventLoops", "4"), 53, "stoa-eventLoops");
    assertRefused(replace("cn=nobody,cn=configuration", "sn", "1"), 32, "");
    Output deleted = ldap("ldapdelete", FRONT_END);
    assertThat(deleted.code()).isEqualTo(53);
    assertThat(Files.exists(changes())).isFalse();
  }

  private static void assertRefused(Output output, int code, String name) {
    assertThat(output.code()).as(output.text()).isEqualTo(code);
    assertThat(output.text()).contains(name);
  }

  /** Each value of the guide in turn is another than it may be. */
  @Test
  void eachWrongValueNamesItsAttribute() throws Exception {
    Matcher values = Pattern.compile("(?m)^(ibm-\\w+): (\\w+)$").matcher(GUIDE);
    int number = 0;
    while (values.find()) {
      String attribute = values.group(1);
      boolean truth = values.group(2).equals("TRUE");
      for (String wrong : truth ? List.of("perhaps") : List.of("many", "-1")) {
        String before = GUIDE.substring(0, values.start(2));
        Output refused = ldapmodify(before + wrong + GUIDE.substring(values.end(2)));
        int code = wrong.equals("-1") ? 19 : 21;
        assertThat(refused.code()).as(refused.text()).isEqualTo(code);
        assertThat(refused.text()).contains("additional info: " + attribute + ": ");
      }
      number++;
    }
    assertThat(number).isEqualTo(6);
  }

  @Test
  void fileOnlyKeysAreNeitherShownNorChanged() throws Exception {
    String reason = "can be changed in the configuration file only";
    assertRefused(replace(STOA, "stoa-admin-passwordHash", "x"), 53, reason);
    assertRefused(replace(STOA, "stoa-admin-passwordHash"), 53, reason);
    assertRefused(replace(STOA, "stoa-upstream-servers", "ldap://a"), 53, reason);
    assertRefused(replace(FRONT_END, "stoa-admin-passwordHash", "x"), 65, STOA);
    assertThat(read(STOA, "*", "+"))
        .contains("stoaFileKey: admin.passwordHash")
        .doesNotContain("PBKDF2");
  }

  @Test
  void aRequestIsAppliedAtomically() throws Exception {
    Output refused =
        ldapmodify(
            GUIDE.replace(
                "ibm-slapdFilterCacheBypassLimit: 100", "ibm-slapdFilterCacheBypassLimit: x"));
    assertThat(refused.code()).isEqualTo(21);
    assertThat(read(DIRECTORY)).as("a request before").contains("ibm-slapdDbConnections: 15\n");
    assertThat(read(FRONT_END)).contains("ibm-slapdFilterCacheSize: 100000\n");
    assertThat(server.proxy().status().cache().filterSize()).isEqualTo(100_000);
  }

  @Test
  void aChangeThatCannotBeSavedIsRefused() throws Exception {
    Files.createDirectories(folder.resolve("stoa.yaml.changes.new/full"));
    Output refused = replace(FRONT_END, "ibm-slapdFilterCacheSize", "10");
    assertRefused(refused, 52, "could not be written to disk");
    assertThat(read(FRONT_END)).contains("ibm-slapdFilterCacheSize: 100000\n");
    assertThat(server.proxy().status().cache().filterSize()).isEqualTo(100_000);
  }

  // What lasts

  @Test
  void aChangeOverridesTheFileUntilItIsReverted() throws Exception {
    assertThat(replace(FRONT_END, "ibm-slapdFilterCacheSize", "10").code()).isZero();
    write("cache: {maxAge: 1h, filterCacheSize: 20, entryCacheSize: 30}");
    restart();
    assertThat(read(FRONT_END))
        .contains("ibm-slapdFilterCacheSize: 10\n", "ibm-slapdEntryCacheSize: 30\n");
    assertThat(replace(FRONT_END, "ibm-slapdFilterCacheSize").code()).isZero();
    assertThat(read(FRONT_END)).contains("ibm-slapdFilterCacheSize: 20\n");
    assertThat(server.proxy().status().cache().filterSize()).isEqualTo(20);
  }

  @Test
  void aValueEqualToTheFileIsNoOverride() throws Exception {
    assertThat(replace(STOA, "stoa-cache-maxAge", "30m").code()).isZero();
    assertThat(read(STOA, "stoaChanged")).contains("stoaChanged: cache.maxAge");
    assertThat(replace(STOA, "stoa-cache-maxAge", "60m").code()).isZero();
    assertThat(read(STOA, "stoaChanged")).doesNotContain("stoaChanged");
    write("cache: {maxAge: 2h}");
    restart();
    assertThat(read(STOA, "stoa-cache-maxAge")).contains("stoa-cache-maxAge: 120m");
  }

  @Test
  void deletingAllValuesEmptiesAList() throws Exception {
    server.close();
    write("cache: {exclusions: {subtrees: ['dc=a', 'dc=b']}}");
    server = run();
    String attribute = "stoa-cache-exclusions-subtrees";
    Output done =
        ldapmodify(
            "dn: %s\nchangetype: modify\ndelete: %s\n%s: dc=a\n%s: dc=b\n"
                .formatted(STOA, attribute, attribute, attribute));
    assertThat(done.code()).as(done.text()).isZero();
    assertThat(read(STOA, attribute)).doesNotContain(attribute + ":");
    restart();
    assertThat(read(STOA, attribute)).doesNotContain(attribute + ":");
    assertThat(replace(STOA, attribute).code()).isZero();
    assertThat(read(STOA, attribute)).contains(attribute + ": dc=a", attribute + ": dc=b");
  }

  @Test
  void changesAreSavedToTheConfiguredFile() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("state")).resolve("changed");
    server.close();
    write("admin: {changes: '" + elsewhere + "'}");
    server = run();
    assertThat(replace(FRONT_END, "ibm-slapdFilterCacheSize", "10").code()).isZero();
    assertThat(elsewhere).content().contains("filterCacheSize: 10");
    assertThat(Files.exists(changes())).isFalse();
    restart();
    assertThat(read(FRONT_END)).contains("ibm-slapdFilterCacheSize: 10\n");
  }

  @Test
  void checkConfigWarnsIfChangesCannotBeSaved() throws Exception {
    Path nowhere = folder.resolve("nowhere/changes");
    server.close();
    write("admin: {changes: '" + nowhere + "'}");
    CommandRun check = CommandRun.of(CommandProcess.command("check-config", file().toString()));
    assertThat(check.exitCode()).isEqualTo(ExitCode.OK.code());
    String warning = nowhere + " cannot be written; set admin.changes to another file";
    assertThat(check.output()).contains("warning: ", warning);
    try (CommandProcess process = CommandProcess.start("run", "--config", file().toString())) {
      process.await("WARN .*" + Pattern.quote(warning));
      process.await("INFO .*: ready$");
      assertRefused(
          replace(FRONT_END, "ibm-slapdFilterCacheSize", "10"), 52, "could not be written");
    }
    write("admin: {changes: '" + file() + "'}");
    check = CommandRun.of(CommandProcess.command("check-config", file().toString()));
    assertThat(check.exitCode()).isEqualTo(ExitCode.CONFIGURATION.code());
    assertThat(check.output())
        .contains("admin.changes must not name the configuration file itself");
    write("");
    server = run();
  }

  @Test
  void changesAreLoggedWithTheirAuthor() throws Exception {
    server.close();
    try (CommandProcess process = CommandProcess.start("run", "--config", file().toString())) {
      Matcher address = process.await("StoaServer: listening on 127\\.0\\.0\\.1:(\\d+)");
      process.await("INFO .*: ready$");
      String who = " \\(by the administrator at a local socket \\(uid .*\\)\\)$";
      assertThat(replace(FRONT_END, "ibm-slapdFilterCacheSize", "10").code()).isZero();
      process.await("configuration: cache.filterCacheSize is 10" + who);
      assertThat(replace(FRONT_END, "ibm-slapdFilterCacheSize", "10").code()).isZero();
      process.await("ibm-slapdFilterCacheSize: no value has changed" + who);
      assertThat(replace(FRONT_END, "ibm-slapdFilterCacheSize", "many").code()).isEqualTo(21);
      process.await(FRONT_END + ": refused with 21: ibm-slapdFilterCacheSize: .*" + who);
      assertThat(replace(STOA, "stoa-admin-passwordHash", "my-secret").code()).isEqualTo(53);
      process.await("refused with 53: stoa-admin-passwordHash: .*" + who);
      assertThat(replace(STOA, "stoaAction", "dance").code()).isEqualTo(21);
      process.await(STOA + ": refused with 21: .*" + who);
      int port = Integer.parseInt(address.group(1));
      try (RawLdapClient anybody =
          RawLdapClient.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
        assertThat(anybody.code(Requests.replace(STOA, "stoaAction", "shutdown"))).isEqualTo(50);
      }
      process.await("refused with 50 \\(by a client at 127.0.0.1\\)$");
      assertThat(process.output()).doesNotContain("my-secret");
    }
    server = run();
  }

  @Test
  void invalidSavedChangesAreReportedAtStartUp() throws Exception {
    Files.writeString(changes(), "cache: {filterCacheSize: -1}\n");
    CommandRun check = CommandRun.of(CommandProcess.command("check-config", file().toString()));
    assertThat(check.exitCode()).isEqualTo(ExitCode.CONFIGURATION.code());
    assertThat(check.output())
        .contains("stoa.yaml.changes:", "cache.filterCacheSize -1 is below 0");
    Files.writeString(changes(), "eventLoops: 3\n");
    check = CommandRun.of(CommandProcess.command("check-config", file().toString()));
    assertThat(check.output())
        .contains("eventLoops can only be changed in the file, with a restart");
  }
}
