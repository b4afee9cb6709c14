// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.util.json.JSONObject;
import io.stoa.promise.coherence.Ds389WithFeed;
import io.stoa.testing.Certificates;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.FreePort;
import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code stoa check-config --probe} before real servers, as a process. */
class CheckConfigProbeIT {
  private static final String FEED = "cn=feed," + People.SUFFIX;
  private static final String SERVICE = "cn=stoa," + People.SUFFIX;
  private static final String SECRET = "feed-Secret";
  private static final String WRONG = "not-the-Secret";

  private static final String SETTINGS =
      """
      index objectClass,uid,entryUUID,entryCSN eq
      limits dn.exact="cn=feed,dc=example,dc=com" size=unlimited time=unlimited
      access to attrs=userPassword by anonymous auth by * none
      access to attrs=authzTo by dn.exact="cn=feed,dc=example,dc=com" read by * auth
      access to * by * read
      """;

  @TempDir Path directory;

  @BeforeEach
  void passwords() throws IOException {
    Files.writeString(directory.resolve("right"), SECRET);
    Files.writeString(directory.resolve("wrong"), WRONG);
  }

  private static Ldif tree() {
    return People.tree(3).entry(FEED, account("feed")).entry(SERVICE, account("stoa", people()));
  }

  private static String people() {
    return "authzTo: dn.onelevel:" + People.PEOPLE;
  }

  private static String[] account(String name, String... more) {
    String[] lines = {
      "objectClass: organizationalRole",
      "objectClass: simpleSecurityObject",
      "cn: " + name,
      "userPassword: " + SECRET
    };
    String[] all = Arrays.copyOf(lines, lines.length + more.length);
    System.arraycopy(more, 0, all, lines.length, more.length);
    return all;
  }

  private static SlapdConfig slapd(String settings) {
    return SlapdConfig.stock()
        .module("syncprov")
        .global("authz-policy to")
        .global("database config\naccess to * by * read\n")
        .database(People.SUFFIX, settings, tree());
  }

  private CommandRun probe(String text, String... options) throws IOException {
    Path file = Files.writeString(directory.resolve("stoa.yaml"), text);
    List<String> arguments = new ArrayList<>(List.of("check-config", "--probe"));
    arguments.addAll(List.of(options));
    arguments.add(file.toString());
    CommandRun run = CommandRun.of(CommandProcess.command(arguments.toArray(String[]::new)));
    assertThat(run.output()).doesNotContain(SECRET, WRONG);
    return run;
  }

  private String feed(String password) {
    return "feed: {bindDn: '%s', passwordFile: '%s'}\n"
        .formatted(FEED, directory.resolve(password));
  }

  private String proxied() {
    return "identity: {mode: proxied, serviceDn: '%s', servicePasswordFile: '%s'}\n"
        .formatted(SERVICE, directory.resolve("right"));
  }

  private static String servers(Object... urls) {
    return "upstream:\n  servers: "
        + List.of(urls).stream().map(url -> "'" + url + "'").toList()
        + "\n";
  }

  /** The listener of the file is in use, as a Stoa runs already. */
  @Test
  void slapdWithFeedAndServiceAccount() throws IOException {
    try (Slapd slapd = Slapd.start(slapd(SETTINGS + "overlay syncprov\n"));
        ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String listen = "listen: ['127.0.0.1:" + used.getLocalPort() + "']\n";
      CommandRun run = probe(listen + servers(slapd.url()) + feed("right") + proxied());
      assertThat(run.output())
          .containsPattern("ok +connection +connected to 127.0.0.1:" + slapd.port())
          .containsPattern("ok +product +OpenLDAP")
          .containsPattern("ok +controls +proxied authorization, content synchronization")
          .containsPattern("ok +service account +bound as " + SERVICE)
          .containsPattern("ok +proxied authorization +the service account may act for uid=user")
          .containsPattern("ok +feed account +bound as " + FEED)
          .containsPattern("ok +naming contexts +" + People.SUFFIX)
          .containsPattern("ok +health check +up")
          .containsPattern("ok +feed +syncrepl is live")
          .containsPattern("ok +coverage +the account sees every entry, proved by rules")
          .containsPattern("(ok|warning) +open files +limits.connections")
          .containsPattern("stoa.yaml: ok, \\d+ warnings?\n");
      assertThat(run.exitCode()).isZero();
    }
  }

  @Test
  void aClientForWhomTheServiceAccountMayNotAct() throws IOException {
    try (Slapd slapd = Slapd.start(slapd(SETTINGS))) {
      CommandRun run = probe(servers(slapd.url()) + proxied(), "--as", FEED);
      assertThat(run.output())
          .containsPattern("failed +proxied authorization +the service account may not act for")
          .containsPattern("remedy: let the account act for clients: authzTo")
          .contains("stoa.yaml: 1 failure");
      assertThat(run.exitCode()).isEqualTo(ExitCode.PROBE.code());
    }
  }

  /** Each server is checked, whatever is wrong with the others. */
  @Test
  void eachServerHasItsOwnMistake() throws IOException {
    int dead = FreePort.next();
    try (Certificates certificates = Certificates.create();
        Slapd right = Slapd.start(slapd(SETTINGS).tls(certificates, certificates.server()));
        Slapd other =
            Slapd.start(
                slapd(SETTINGS).tls(certificates, certificates.server("other.example.com")));
        Slapd expired =
            Slapd.start(
                slapd(SETTINGS).tls(certificates, certificates.expired("CN=old", "127.0.0.1")))) {
      String tls = "  tls: {ca: '" + certificates.ca() + "'}\n";
      String urls =
          servers(
              right.ldapsUrl(),
              other.ldapsUrl(),
              expired.ldapsUrl(),
              "ldap://127.0.0.1:" + dead,
              "ldap://no-such-host.invalid",
              "ldaps://127.0.0.1:" + right.port());
      CommandRun run = probe(urls + tls + feed("wrong"));
      assertThat(run.output())
          .containsPattern("ok +tls +TLSv1.3")
          .containsPattern("certificate .*expires at .* in \\d+ days")
          .contains("server certificate does not match host name 127.0.0.1")
          .contains("server certificate expired at")
          .containsPattern("failed +connection +connection refused")
          .containsPattern("failed +name +unknown host no-such-host.invalid")
          .contains("connection closed during the TLS handshake; check the port")
          .containsPattern("failed +feed account +bind as " + FEED + " refused: invalid cred")
          .contains("remedy: check feed.bindDn, feed.passwordFile");
      assertThat(run.exitCode()).isEqualTo(ExitCode.PROBE.code());
    }
  }

  @Test
  void serversWithOtherTrees() throws Exception {
    Ldif another = new Ldif().entry("dc=other", "objectClass: domain", "dc: other");
    SlapdConfig two = slapd(SETTINGS).database("dc=other", "access to * by * read\n", another);
    try (Slapd one = Slapd.start(slapd(SETTINGS));
        Slapd other = Slapd.start(two)) {
      CommandRun run = probe(servers(one.url(), other.url()), "--json");
      JSONObject report = new JSONObject(run.lines().get(run.lines().size() - 1));
      assertThat(report.getFieldAsInteger("failed")).isEqualTo(1);
      assertThat(report.getField("findings").toString())
          .contains("naming contexts differ", other.url(), "feed.bindDn is not set");
      assertThat(run.exitCode()).isEqualTo(ExitCode.PROBE.code());
    }
  }

  /** Without overlay syncprov there is no feed, and the report says what to load. */
  @Test
  void slapdThatOffersNoFeed() throws IOException {
    try (Slapd one = Slapd.start(slapd(SETTINGS));
        Slapd same = Slapd.start(slapd(SETTINGS))) {
      CommandRun run = probe(servers(one.url(), same.url()) + feed("right"));
      assertThat(run.output())
          .containsPattern("ok +same tree +all 2 servers hold the same tree")
          .containsPattern("failed +feed +syncrepl is cold: .*load overlay")
          .containsPattern("remedy: .*feeds.md");
      assertThat(run.exitCode()).isEqualTo(ExitCode.PROBE.code());
    }
  }

  @Test
  void ds389WithChangelog() throws Exception {
    Ds389Config config = Ds389WithFeed.config(2);
    try (Ds389 server = Ds389.start(config)) {
      String url = server.url();
      CommandRun cold = probe(servers(url) + feed("right"));
      assertThat(cold.output())
          .containsPattern("ok +product +389 Project 389-Directory")
          .containsPattern("ok +feed account +bound as " + FEED)
          .containsPattern("failed +feed +changelog is cold: .*changelog");
      assertThat(cold.exitCode()).isEqualTo(ExitCode.PROBE.code());
      allow(server);
      CommandRun live = probe(servers(url) + feed("right"));
      assertThat(live.output())
          .containsPattern("ok +feed +changelog is live")
          .containsPattern("ok +coverage +the account sees every entry, proved by changelog")
          .containsPattern("note +rights +.*the server does not publish its access rules");
      assertThat(live.exitCode()).isZero();
    }
  }

  /** As docs/guides/feeds.md has it, and a first write. */
  private static void allow(Ds389 server) throws LDAPException {
    String aci =
        "(targetattr=\"*\")(version 3.0; acl \"feed\"; allow (read,search,compare)"
            + " userdn=\"ldap:///"
            + FEED
            + "\";)";
    try (LDAPConnection root =
        new LDAPConnection(
            "127.0.0.1", server.address().getPort(), Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD)) {
      for (String entry : List.of("cn=changelog", "cn=monitor")) {
        root.modify(entry, new Modification(ModificationType.ADD, "aci", aci));
      }
      root.modify(People.dn(0), new Modification(ModificationType.REPLACE, "l", "there"));
    }
  }

  /** The lines that docs/guides/first-day.md shows. */
  @Test
  void twoServersWithoutFeed() throws IOException {
    try (Slapd one = Slapd.start(People.slapd(20));
        Slapd same = Slapd.start(People.slapd(20))) {
      CommandRun run = probe(servers(one.url(), same.url()));
      assertThat(run.output())
          .contains(one.url() + "\n  ok       connection", same.url() + "\n  ok       connection")
          .contains("directory\n  ok       same tree              all 2 servers hold the same tree")
          .contains(
              "feed of dc=example,dc=com\n  note     feed                   none: feed.bindDn");
      assertThat(run.exitCode()).isZero();
    }
  }

  @Test
  void limitsThatTheProcessDoesNotFit() throws IOException {
    String keys =
        "limits: {connections: 30000, requestMemory: 1GiB}\n" + servers("ldap://127.0.0.1:1");
    Path file = Files.writeString(directory.resolve("stoa.yaml"), keys);
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n 1024; exec \"$@\"", "sh"));
    command.addAll(CommandProcess.command("check-config", "--probe", file.toString()));
    CommandRun run = CommandRun.of(command);
    String lower = " does not fit the limit: %s; a start would lower it to \\d+";
    assertThat(run.output())
        .containsPattern(
            "warning +open files +limits.connections = 30000"
                + lower.formatted("1024 \\(ulimit -n\\)"))
        .contains("remedy: raise the limit (ulimit -n, or LimitNOFILE of systemd)")
        .containsPattern(
            "warning +direct memory +limits.requestMemory = 1073741824"
                + lower.formatted("\\d+ MiB"))
        .contains("remedy: raise STOA_MEMORY");
  }

  @Test
  void optionsOfTheProbeNeedIt() throws IOException {
    Path file = Files.writeString(directory.resolve("x.yaml"), servers("ldap://127.0.0.1:1"));
    CommandRun run =
        CommandRun.of(CommandProcess.command("check-config", "--json", file.toString()));
    assertThat(run.output()).contains("--json and --as require --probe");
    assertThat(run.exitCode()).isEqualTo(ExitCode.USAGE.code());
  }
}
