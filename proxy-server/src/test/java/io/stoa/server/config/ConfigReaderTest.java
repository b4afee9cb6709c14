// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.stoa.cache.result.CacheConfig;
import io.stoa.client.connection.ClientLimits;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.routing.directory.DirectorySpec;
import io.stoa.server.config.ConfigException.Problem;
import io.stoa.server.config.ConfigException.TextPosition;
import io.stoa.testing.Certificates;
import io.stoa.testing.ServiceWatch;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigReaderTest {
  private static final String UPSTREAMS = "upstream: {servers: [ldap://a:389]}\n";
  private static final String QUEUE = "upstream:\n  servers: [ldap://a:389]\n  queueLimit: 10\n";

  @Test
  void mistakesOfAServerHaveTheirPosition() {
    assertThat(
            problems(
                """
                upstream:
                  servers:
                    - {url: ldap://a, rolle: primary}
                    - {role: primary}
                    - {url: ldap://a, weight: many}
                    - {url: ldap://b, role: main}
                    - {url: ldap://c, weight: 1, weight: 2}
                    - [ldap://d]
                    - ldap://e
                    - {url: 'ldap://e:389', weight: 3}
                """))
        .containsExactly(
            "3:23 upstream.servers has no field rolle; its fields are url, role, weight, tier,"
                + " suffix, drained, reconnect",
            "4:7 upstream.servers: url is required",
            "5:31 upstream.servers: weight: 'many' must be a whole number",
            "6:29 upstream.servers: role: 'main' must be primary or replica",
            "7:34 upstream.servers: weight is a duplicate field",
            "8:7 upstream.servers must be a scalar (ldap://, ldaps:// or ldapi:// URL), not a list"
                + " or mapping",
            "10:7 upstream.servers contains a duplicate item");
    assertThat(problems("upstream: {servers: [{url: ldap://a, role: replica}]}\n"))
        .containsExactly("1:21 upstream.servers has no primary: set role: primary for one server");
    assertThat(problems("upstream: {servers: [{url: ldap://a, weight: 0}]}\n"))
        .containsExactly("1:22 upstream.servers: weight 0 is below 1");
  }

  @Test
  void mistakesInSuffixesHaveTheirPosition() {
    assertThat(
            problems(
                """
                upstream:
                  servers:
                    - {url: ldap://a, suffix: here}
                    - {url: ldap://b, suffix: [dc=b, there]}
                    - {url: ldap://c, suffix: []}
                """))
        .containsExactly(
            "3:31 upstream.servers: suffix: 'here' is not a DN",
            "4:38 upstream.servers: suffix: 'there' is not a DN",
            "5:31 upstream.servers: suffix must not be an empty list");
    assertThat(problems("upstream: {servers: [ldap://a, {url: ldap://b, suffix: ''}]}\n"))
        .singleElement()
        .asString()
        .startsWith(
            "1:21 upstream.servers has the suffix '', which is not the DN of an entry. Omit the"
                + " suffix for");
    assertThat(
            problems(
                """
                upstream:
                  servers:
                    - {url: ldap://a, suffix: [dc=a, dc=b]}
                    - {url: ldap://b, suffix: DC=b}
                """))
        .containsExactly(
            "3:5 upstream.servers has the suffix 'DC=b' twice: give all servers of one directory"
                + " the same list of suffixes; two directories cannot have the same suffix");
    assertThat(
            problems(
                """
                upstream:
                  servers:
                    - ldap://a
                    - {url: ldap://b, suffix: dc=b, role: replica}
                """))
        .containsExactly(
            "3:5 upstream.servers has no primary for the directory with suffix 'dc=b': set role:"
                + " primary for one of its servers");
  }

  @Test
  void anAccountOfAFeedIsOfOneOfTheDirectories() {
    assertThat(
            problems(
                """
                upstream:
                  servers: [ldap://a, {url: ldap://b, suffix: [dc=b, dc=c]}]
                feed:
                  accounts:
                    - {suffix: dc=d}
                """))
        .containsExactly(
            "5:5 feed.accounts has the suffix 'dc=d', which no server of upstream.servers has");
    assertThat(
            problems(
                """
                upstream:
                  servers: [ldap://a, {url: ldap://b, suffix: [dc=b, dc=c]}]
                feed:
                  accounts:
                    - {suffix: dc=b}
                    - {suffix: DC=C}
                """))
        .containsExactly(
            "5:5 feed.accounts has the suffix 'DC=C', but its directory already has another"
                + " account");
    assertThat(
            problems(
                """
                upstream:
                  servers: [ldap://a, {url: ldap://b, suffix: dc=b}]
                feed:
                  accounts:
                    - {suffix: dc=b, bindDn: cn=feed}
                """))
        .containsExactly("5:7 feed.accounts: bindDn and passwordFile must be set together");
  }

  @Test
  void eachDirectoryHasItsPrimary() throws Exception {
    ServerConfig config =
        parse(
            """
            upstream:
              servers:
                - {url: ldap://a, suffix: [dc=a, dc=b]}
                - {url: ldap://b}
                - {url: ldap://c, suffix: [DC=B, 'dc = a']}
                - {url: ldap://d, suffix: dc=d, role: replica}
                - {url: ldap://e, suffix: dc=d, role: primary}
            """);
    assertThat(config.proxy().upstream().servers())
        .extracting(ServerSpec::primary)
        .containsExactly(true, true, false, false, true);
    assertThat(DirectorySpec.of(config.proxy().upstream().servers())).hasSize(3);
  }

  @Test
  void everythingButTheUpstreamsHasADefault() throws Exception {
    ServerConfig config = parse(UPSTREAMS);
    List<ServerAddress> servers = List.of(new ServerAddress("a", 389));
    assertThat(config).isEqualTo(ServerConfig.of(List.of(ServerConfig.DEFAULT_LISTENER), servers));
    assertThat(config.proxy().upstream()).isEqualTo(UpstreamConfig.of(servers));
    assertThat(config.proxy().cache()).isEqualTo(CacheConfig.DEFAULTS);
    assertThat(config.proxy().limits()).isEqualTo(ClientLimits.DEFAULTS);
    assertThat(config.management()).isEqualTo(ManagementConfig.DEFAULT);
  }

  @Test
  void everyKeyReachesItsRecord() throws Exception {
    ServerConfig config = ConfigReader.parse("all.yaml", ConfigSamples.EVERY_KEY);
    assertThat(config).isEqualTo(ConfigSamples.everyKey());
  }

  @Test
  void configuredSecretsExtendTheDefaults() throws Exception {
    List<String> secrets =
        parse(UPSTREAMS + "cache: {secrets: [pin, userPassword]}").proxy().cache().secrets();
    assertThat(secrets).containsAll(CacheConfig.DEFAULT_SECRETS).contains("pin");
    assertThat(secrets).doesNotHaveDuplicates();
  }

  @Test
  void sectionsMayBeEmpty() throws Exception {
    assertThat(parse(UPSTREAMS + "cache:\n  # enabled: false\nlimits:\n"))
        .isEqualTo(parse(UPSTREAMS));
  }

  @Test
  void nullIsNoValue() throws Exception {
    assertThat(problems(UPSTREAMS + "tls: {certificate: ~, key: Null, clientCa: null}\n"))
        .containsExactly(
            "2:20 tls.certificate must have a value: file",
            "2:28 tls.key must have a value: file",
            "2:44 tls.clientCa must have a value: file");
    assertThat(parse(UPSTREAMS + "tls: ~\n")).isEqualTo(parse(UPSTREAMS));
  }

  @Test
  void aConfiguredManagementListenerMustBeFree() throws Exception {
    assertThat(parse(UPSTREAMS + "management: {listen: '[::1]:9000'}").management())
        .isEqualTo(new ManagementConfig(new ListenerConfig("::1", 9000), false));
    assertThat(parse(UPSTREAMS + "management: {listen: none}").management())
        .isEqualTo(ManagementConfig.NONE);
  }

  @Test
  void allProblemsAreReportedAtOnceInTheOrderOfTheFile() {
    assertThat(problems(ConfigSamples.EVERYTHING_WRONG)).isEqualTo(ConfigSamples.everythingWrong());
  }

  @Test
  void aFormerKeyIsRefusedWithItsPresentName() {
    assertThat(
            problems(
                "upstreams: [ldap://a:389]\n"
                    + UPSTREAMS
                    + "feed:\n  seesAll: true\nwrites: {closing: []}\n"
                    + "identity:\n  ownConnections: []\n"))
        .containsExactly(
            "1:1 upstreams was renamed to upstream.servers",
            "4:3 feed.seesAll was renamed to feed.assumeCoverage",
            "5:10 writes.closing was renamed to writes.windowOverrides",
            "7:3 identity.ownConnections was renamed to identity.neverProxied");
  }

  @Test
  void messageHasOneLineForEachProblem() {
    ConfigException failure = failure("upstream: {servers: []}\ncaches: 1\n");
    assertThat(failure.getMessage())
        .isEqualTo(
            """
            test.yaml:1:21: upstream.servers must not be an empty list
            test.yaml:2:1: unknown key caches; did you mean cache?\
            """);
    assertThat(failure.problems())
        .extracting(Problem::position)
        .containsExactly(new TextPosition(1, 21), new TextPosition(2, 1));
  }

  @ParameterizedTest
  @CsvSource({
    "maxAge, cache.maxAge",
    "max-age, cache.maxAge",
    "max_age, cache.maxAge",
    "upstream.maxConection, upstream.maxConnections",
    "cache.subtrees, cache.exclusions.subtrees",
    "limits.maxConnections, upstream.maxConnections",
    "upstreem, upstream",
    "managment, management",
    "ibmtimes, monitor.ibmTimes",
  })
  void nearestKeyIsNamed(String wrong, String right) {
    assertThat(KeyNames.nearest(wrong)).isEqualTo(right);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "# nothing\n", "---\n"})
  void fileWithoutKeysLacksTheUpstreams(String text) {
    assertThat(problems(text))
        .singleElement()
        .asString()
        .startsWith("1:1 upstream.servers is required: Directory servers, as URLs");
  }

  @Test
  void invalidYamlIsOneProblemWithItsPosition() {
    assertThat(problems("listen: [a:389\ncache: {}\n"))
        .containsExactly(
            "2:6 not YAML: while parsing a flow sequence, expected ',' or ']', but found ':'");
    assertThat(problems("a:\n  b: 1\n c: 2\n"))
        .containsExactly(
            "3:2 not YAML: while parsing a block mapping, expected the end of the section, but"
                + " found a key with another indentation");
    assertThat(problems("a: 1\nb: c: d\n"))
        .containsExactly(
            "2:5 not YAML: key and value not expected here; check the indentation, and quote a"
                + " value that contains ': '");
    assertThat(problems("listen: *:389\n"))
        .containsExactly(
            "1:9 not YAML: found undefined alias :389; quote a value that begins with *");
    assertThat(problems("a: 1\nb: \u0007\n"))
        .containsExactly("2:4 not YAML: the character U+0007 is not permitted");
    assertThat(problems("a: b\n---\nc: d\n")).singleElement().asString().startsWith("2:1 not YAML");
    assertThat(problems("\tx: 1\n")).singleElement().asString().startsWith("1:1 not YAML");
  }

  @Test
  void aScalarOrListInPlaceOfASectionIsReported() {
    assertThat(problems("- a\n")).contains("1:1 the configuration must be a mapping");
    assertThat(problems(UPSTREAMS + "cache: true\n"))
        .containsExactly("2:8 cache must be a mapping");
    assertThat(problems(UPSTREAMS + "? [a, b]\n: c\n"))
        .containsExactly("2:3 a key must be a scalar");
  }

  @Test
  void aRuleAcrossSectionsIsReportedAtTheGivenKey() {
    String message =
        "limits.operationsInFlight 1000 must be at most upstream.queueLimit 10,"
            + " otherwise one client could send more operations than the queue holds";
    assertThat(problems(QUEUE)).containsExactly("3:15 " + message);
  }

  @Test
  void aRuleBetweenTwoGivenKeysIsReportedOnce() {
    String limits = "limits: {operationsInFlight: 64}\n";
    assertThat(problems(QUEUE + limits))
        .containsExactly(
            "4:30 limits.operationsInFlight 64 must be at most upstream.queueLimit 10,"
                + " otherwise one client could send more operations than the queue holds");
    assertThat(problems(UPSTREAMS + "limits: {frameBeforeBind: 2KiB, frameAfterBind: 1KiB}\n"))
        .containsExactly("2:49 limits.frameAfterBind 1024 is below limits.frameBeforeBind 2048");
  }

  @Test
  void aDefaultMayViolateAGivenBound() {
    assertThat(problems(UPSTREAMS + "limits: {frameBeforeBind: 8MiB}\n"))
        .containsExactly(
            "2:27 limits.frameAfterBind 4194304 is below limits.frameBeforeBind 8388608");
  }

  @Test
  void rulesOfLogsNameTheirKeys() {
    assertThat(
            problems(
                """
                upstream: {servers: ['ldap://192.0.2.1']}
                log: {rotation: {maxSize: 100}}
                """))
        .containsExactly("2:27 log.rotation.maxSize 100 is below 1024");
    assertThat(
            problems(
                """
                upstream: {servers: ['ldap://192.0.2.1']}
                log: {access: {format: json, destination: a}, audit: {destination: a}}
                """))
        .containsExactly(
            "2:68 log.audit.destination must be another file than log.access.destination");
  }

  /** What the file says wrongly is reported; what its default then does is not. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "many", ""})
  void theDefaultOfARefusedValueBreaksNoRule(String wrong) {
    assertThat(problems(QUEUE + "limits:\n  operationsInFlight: " + wrong + "\n"))
        .singleElement()
        .asString()
        .startsWith("5:2")
        .contains("limits.operationsInFlight")
        .doesNotContain("queueLimit");
    assertThat(
            problems(
                UPSTREAMS + "limits: {frameBeforeBind: " + wrong + ", frameAfterBind: 2KiB}\n"))
        .singleElement()
        .asString()
        .contains("limits.frameBeforeBind")
        .doesNotContain("frameAfterBind");
  }

  @Test
  void aListenerMustNotBeItsOwnUpstream() {
    String address = "127.0.0.1:2389";
    assertThat(
            problems(
                "listen: ['" + address + "']\nupstream: {servers: ['ldap://" + address + "']}\n"))
        .singleElement()
        .asString()
        .contains(address);
    assertThat(problems("listen: ['127.0.0.1:389']\n"))
        .singleElement()
        .asString()
        .contains("upstream.servers is required");
  }

  @Test
  void moreThanHalfOfTheHeapIsRefused() {
    assertThat(problems(UPSTREAMS + "cache:\n  maxBytes: 4096GiB\n"))
        .singleElement()
        .asString()
        .startsWith("3:13 cache.maxBytes 4398046511104 is more than half of the heap");
  }

  @Test
  void unreadableFilesAreReported(@TempDir Path directory) throws Exception {
    Path absent = directory.resolve("absent.yaml");
    assertThat(unreadable(absent)).isEqualTo(absent + ": no such file");
    assertThat(unreadable(directory)).startsWith(directory + ": is a directory");
    Path binary = directory.resolve("binary.yaml");
    Files.write(binary, new byte[] {(byte) 0xC0, (byte) 0xFF});
    assertThat(unreadable(binary)).isEqualTo(binary + ": not valid UTF-8");
  }

  @Test
  void serviceAccountWithItsPassword(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("password"), "secret\n");
    assertThat(
            parse(identity("{mode: proxied, serviceDn: cn=a, servicePasswordFile: " + file + "}"))
                .proxy()
                .upstream()
                .identity())
        .isEqualTo(ServiceWatch.proxied("cn=a", file.toString()));
  }

  @Test
  void anUnusableServiceAccountIsReported(@TempDir Path directory) throws Exception {
    Path empty = Files.writeString(directory.resolve("empty"), "\n");
    Path absent = directory.resolve("absent");
    assertThat(problems(identity("{mode: proxied}")))
        .containsExactly(
            "2:18 identity.mode proxied needs identity.serviceDn or identity.serviceMechanism"
                + " EXTERNAL");
    assertThat(problems(identity("{serviceDn: cn=a}")))
        .containsExactly(
            "2:23 identity.serviceDn and identity.servicePasswordFile are only for identity.mode"
                + " proxied");
    assertThat(problems(identity("{mode: proxied, serviceDn: cn=a}")))
        .containsExactly("2:38 identity.serviceDn needs identity.servicePasswordFile");
    assertThat(problems(identity("{mode: proxied, serviceMechanism: EXTERNAL, serviceDn: cn=a}")))
        .containsExactly(
            "2:45 identity.serviceMechanism EXTERNAL takes neither identity.serviceDn nor"
                + " identity.servicePasswordFile");
    assertThat(problems(identity("{mode: both}")))
        .containsExactly("2:18 identity.mode: 'both' must be passThrough or proxied");
    assertThat(
            problems(
                identity("{mode: proxied, serviceDn: a, servicePasswordFile: " + absent + "}")))
        .containsExactly(
            "2:38 identity.serviceDn: 'a' is not a DN",
            "2:62 identity.servicePasswordFile: the password file "
                + absent
                + " cannot be read: no such file");
    assertThat(problems(identity("{servicePasswordFile: " + empty + "}")))
        .singleElement()
        .asString()
        .contains("must hold a password of 1 to 1024 bytes");
  }

  @Test
  void anExternalServiceAccountNeedsTlsOrASocket() throws Exception {
    assertThat(problems(identity("{mode: proxied, serviceMechanism: EXTERNAL}")))
        .containsExactly(
            "2:45 identity.serviceMechanism EXTERNAL needs TLS with upstream.tls.certificate, or"
                + " ldapi://: ldap://a:389 cannot identify Stoa");
    String socket = "upstream: {servers: ['ldapi://%2Frun%2Fldapi']}\n";
    parse(socket + "identity: {mode: proxied, serviceMechanism: EXTERNAL}\n");
    String tls = "upstream: {servers: ['ldaps://a', 'ldap://b'], ";
    String shown = "tls: {certificate: a.pem, key: b.pem}";
    String external = "identity: {mode: proxied, serviceMechanism: EXTERNAL}\n";
    parse(tls + "startTls: true, " + shown + "}\n" + external);
    assertThat(problems(tls + shown + "}\n" + external))
        .singleElement()
        .asString()
        .contains("ldap://b:389 cannot identify Stoa");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          uid=1 => u:a           | must begin with 'certificate' or 'socket'
          certificate cn=a       | is not of the form 'certificate PATTERN => AUTHZID'
          socket uid=x => u:a    | is not of the form uid=N, gid=N, uid=N gid=N or *
          socket uid=1gid=2 => u:a | is not of the form uid=N, gid=N, uid=N gid=N or *
          socket uid=1 => a      | is not an authorization identity
          socket uid=1 => dn:a   | is not an authorization identity
          socket uid=1 => dn:    | is the anonymous identity
          socket uid=1 => u:     | is not an authorization identity
          socket uid=1 => u:{a}  | has an unknown name in braces
          socket uid=1 => u:{a   | has a brace that does not enclose a name
          certificate *, => u:a  | is not a certificate subject
          certificate foo => u:a | is not a certificate subject
          certificate cn=x{a},o=b => u:{a} | must be the only value of its RDN
          certificate cn={a}+uid=b => u:{a} | must be the only value of its RDN
          certificate cn={a},o={a} => u:{a} | must be the only value of its RDN
          socket uid=1 => dn:CN=directory manager | would be identity.serviceDn or one of
          """)
  void invalidExternalRulesAreReported(String rule, String message) {
    String section = "{mode: proxied, serviceMechanism: EXTERNAL, external: ['%s']}";
    assertThat(
            problems(
                "upstream: {servers: ['ldapi://%2Frun%2Fldapi']}\n"
                    + "listen: ['ldapi://%2Frun%2Fx']\n"
                    + "identity: "
                    + section.formatted(rule.replace("'", "''"))
                    + "\n"))
        .singleElement()
        .asString()
        .contains(message);
  }

  @Test
  void externalRulesWithoutAListenerAreReported() {
    assertThat(problems(identity("{external: ['socket uid=1 => u:a']}")))
        .containsExactly("2:22 identity.external is only for identity.mode proxied");
    String upstreams = "upstream: {servers: ['ldapi://%2Frun%2Fldapi']}\n";
    String section =
        "identity: {mode: proxied, serviceMechanism: EXTERNAL, external: ['%s => u:a']}\n";
    assertThat(problems(upstreams + section.formatted("socket uid=1")))
        .containsExactly(
            "2:65 identity.external has rules for sockets, but no listener has the form"
                + " ldapi://%2FPATH");
    assertThat(problems(upstreams + section.formatted("certificate *")))
        .containsExactly(
            "2:65 identity.external has rules for certificates, but clients are not asked for"
                + " one: set tls.clientAuth");
  }

  private static String identity(String section) {
    return UPSTREAMS + "identity: " + section + "\n";
  }

  @Test
  void durationsAndSizes() throws Exception {
    ServerConfig config =
        parse(UPSTREAMS + "cache: {maxAge: 1500ms, maxResultBytes: 3KiB}\ndrainTimeout: 0\n");
    assertThat(config.proxy().cache().maxAge()).isEqualTo(Duration.ofMillis(1500));
    assertThat(config.proxy().cache().maxResultBytes()).isEqualTo(3072);
    assertThat(config.drainTimeout()).isZero();
  }

  private static String unreadable(Path file) {
    return catchThrowableOfType(ConfigException.class, () -> ConfigReader.reading(file))
        .getMessage();
  }

  private static List<String> problems(String text) {
    return failure(text).problems().stream()
        .map(problem -> problem.position() + " " + problem.message())
        .toList();
  }

  private static ConfigException failure(String text) {
    return catchThrowableOfType(ConfigException.class, () -> parse(text));
  }

  private static ServerConfig parse(String text) throws ConfigException {
    ServerConfig config = ConfigReader.parse("test.yaml", text);
    assertThat(SchemaVerdict.mistakes(text)).as(text).isEmpty();
    return config;
  }

  @Test
  void listenersParseAsPrinted() throws Exception {
    for (String text :
        List.of("1.2.3.4:5", "ldaps://[::1]:6", "ldapi://%2Frun%2Fa%20b", "passthrough://x:7")) {
      assertThat(ListenerConfig.parse(text)).hasToString(text);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "listen: ['ldaps://:636']; listen has ldaps://0.0.0.0:636, which requires tls.certificate"
            + " and",
        "listen: ['passthrough://:1']; requires an upstream of the form ldaps://HOST:PORT",
        "listen: ['ldapi://run']; 'run' is not the absolute path of a socket",
        "listen: ['ldapi://%zz']; 'ldapi://%zz' is not ADDRESS:PORT, ldaps://ADDRESS:PORT",
        "replication: {interval: 999999999999999h}; '999999999999999h' is out of range",
        "listen: ['http://:1']; is not ADDRESS:PORT, ldaps://ADDRESS:PORT",
        "tls: {certificate: /a}; tls.certificate and tls.key must be set together",
        "tls: {requireTls: true}; tls.requireTls requires tls.certificate and tls.key",
        "tls: {protocols: [TLSv1.1]}; tls.protocols must be TLSv1.3, TLSv1.2 or both",
        "tls: {clientAuth: maybe}; 'maybe' must be none, request or require",
        "tls: {provider: gnutls}; 'gnutls' must be auto, openssl or jdk",
        "socketMode: 999; '999' is not an octal number such as 0660",
        "proxyProtocol: [lb]; 'lb' is not an IP network"
      })
  void mistakesOfListenersAndTlsHaveTheirPosition(String line, String message) {
    List<Problem> found = failure(UPSTREAMS + line + "\n").problems();
    assertThat(found).hasSize(1);
    assertThat(found.get(0).message()).contains(message);
    assertThat(found.get(0).position().line()).isEqualTo(UPSTREAMS.lines().count() + 1);
  }

  @Test
  void tlsFilesAreChecked(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("stoa.yaml");
    try (Certificates certificates = Certificates.create()) {
      Certificates.Pair pair = certificates.server();
      String tls = UPSTREAMS + "tls:\n  key: " + pair.key() + "\n  certificate: ";
      Files.writeString(file, tls + pair.certificate() + "\n");
      assertThat(ConfigReader.reading(file).config().proxy().access().tls()).isNotNull();
      Files.writeString(file, tls + certificates.server().certificate() + "\n");
      assertThatThrownBy(() -> ConfigReader.reading(file))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("does not match the certificate")
          .hasMessageContaining("tls.certificate cannot be used");
    }
  }

  /** What is wrong of TLS itself does not hide what is wrong of its files and names. */
  @Test
  void tlsMistakesAreReportedTogether(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("stoa.yaml");
    try (Certificates certificates = Certificates.create()) {
      Certificates.Pair pair = certificates.server();
      String tls = UPSTREAMS + "tls: {key: " + pair.key() + ", certificate: " + pair.certificate();
      Files.writeString(file, tls + ", protocols: [SSLv3], ciphers: [NONE_SUCH]}\n");
      assertThatThrownBy(() -> ConfigReader.reading(file))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("tls.protocols must be TLSv1.3")
          .hasMessageContaining("NONE_SUCH");
      Files.writeString(file, UPSTREAMS + "tls: {certificate: " + pair.certificate() + "}\n");
      assertThatThrownBy(() -> ConfigReader.reading(file))
          .isInstanceOfSatisfying(ConfigException.class, e -> assertThat(e.problems()).hasSize(1));
    }
  }
}
