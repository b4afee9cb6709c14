// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The printed schema admits what the reader accepts, and refuses most of what it refuses. */
class SchemaPrinterTest {
  private static final String SERVERS = "upstream: {servers: [ldap://a]}\n";
  private static final Pattern TEXT_BLOCK = Pattern.compile("(?s)\"\"\"\n(.*?)\"\"\"");

  /** Lines that are refused beside valid servers. */
  private static final String REFUSED =
      """
      cach: {}
      maxAge: 5s
      cache: {maxage: 5s}
      cache: {exclusions: {subtree: [dc=a]}}
      log: {access: {sample: 5}}
      cache: 5
      cache: [maxAge]
      cache: {enabled: yes}
      cache: {enabled: 'on'}
      cache: {enabled: 1}
      cache: {enabled: }
      cache: {enabled: ~}
      cache: {filterCacheSize: -1}
      cache: {fullAuditPerSecond: 0}
      limits: {filterDepth: 1001}
      cache: {filterCacheSize: many}
      cache: {filterCacheSize: 1.5}
      cache: {filterCacheSize: [1]}
      cache: {filterCacheSize: 99999999999}
      cache: {filterCacheSize: '1_000'}
      cache: {maxAge: 5}
      cache: {maxAge: -5s}
      cache: {maxAge: 5 s}
      cache: {maxAge: 5d}
      cache: {maxAge: 1.5s}
      cache: {maxBytes: 4MB}
      cache: {maxBytes: -1}
      cache: {maxBytes: 1.5}
      cache: {maxResultBytes: 9999999999}
      cache: {invalidation: Precise}
      cache: {invalidation: [precise]}
      cache: {secrets: pin}
      cache: {secrets: [a b]}
      cache: {exclusions: {subtrees: [here]}}
      cache: {exclusions: {clientNetworks: [banana]}}
      cache: {exclusions: {clientNetworks: [10.0.0.0/x]}}
      cache: {exclusions: {clientNetworks: [10.0.0.0/8, 10.0.0.0/8]}}
      cache: {exclusions: {subtrees: }}
      cache: {classes: [apps]}
      cache: {classes: [{name: a, members: [dc=a]}]}
      cache: {classes: [{name: a, base: dc=a, members: []}]}
      cache: {classes: [{name: a, base: dc=a, members: [dc=a], uniform: sure}]}
      cache: {classes: [{name: a, base: dc=a, member: dc=a}]}
      socketMode: '0880'
      socketMode: rw
      listen: 127.0.0.1:389
      listen: []
      listen: [389]
      listen: [localhost]
      listen: ['http://h:1']
      listen: ['h:x']
      listen: ['ldapi://run']
      listen: [null]
      eventLoops: none
      referrals: chase
      identity: {external: ['user uid=5 => u:f']}
      identity: {mode: proxy}
      log: {levels: [feed]}
      log: {levels: [kitchen=debug]}
      log: {levels: [feed=loud]}
      log: {access: {destination: 'syslog+udp://h'}}
      log: {access: {results: [ok]}}
      management: {listen: x}
      management: {listen: 'ldaps://h:1'}
      monitor: {readers: [everybody]}
      admin: {passwordHash: secret}
      limits: {network: {connections: automatic}}
      limits: {network: {connections: -1}}
      writes: {windows: [people]}
      writes: {windows: [{name: a}]}
      writes: {windows: [{name: a, every: soon}]}
      writes: {windows: [{name: a, every: 1s, batch: double}]}
      writes: {windows: [{name: a, every: 1s}], windowOverrides: [a every]}
      access: {rules: [{name: a}]}
      access: {rules: [{name: a, decision: maybe}]}
      access: {rules: [{name: a, decision: deny, operations: [sing]}]}
      access: {rules: [{name: a, decision: deny, extended: start}]}
      access: {rules: [{name: a, decision: deny, bases: [[dc=a]]}]}
      access: {rules: {name: a, decision: deny}}
      feed: {accounts: [{bindDn: dc=a}]}
      tls: {upstream.ca: /a}
      5: 6
      null: 6
      """;

  /** Files of one line that are refused. */
  private static final String REFUSED_FILES =
      """
      cache: {enabled: true}
      upstream:
      upstream: {}
      upstream: {servers: }
      upstream: {servers: []}
      upstream: {servers: ldap://a}
      upstream: {servers: [a]}
      upstream: {servers: [http://b]}
      upstream: {servers: [{role: primary}]}
      upstream: {servers: [{url: ldap://a, rolle: primary}]}
      upstream: {servers: [{url: ldap://a, role: main}]}
      upstream: {servers: [{url: ldap://a, weight: many}]}
      upstream: {servers: [{url: ldap://a, suffix: here}]}
      upstream: {servers: [{url: ldap://a, suffix: []}]}
      upstream: {servers: [[ldap://a]]}
      upstream: {servers: [ldap://a, ldap://a]}
      upstream: {servers: [ldap://a], overrides: [ldap://a sometimes]}
      upstream: [ldap://a]
      []
      text
      """;

  /**
   * A file that the reader refuses.
   *
   * @param reason why the schema cannot refuse it; empty if the schema does
   */
  private record Refused(String text, String reason) {
    @Override
    public String toString() {
      return text.replace(SERVERS, "").strip();
    }
  }

  @Test
  void printedDefaultsAndEveryKeyAreAdmitted() throws IOException {
    assertThat(SchemaVerdict.mistakes(DefaultsPrinter.print())).isEmpty();
    assertThat(SchemaVerdict.mistakes(ConfigSamples.EVERY_KEY)).isEmpty();
    Path packaged = Repository.root().resolve("packaging/src/files/stoa.yaml");
    assertThat(SchemaVerdict.mistakes(Files.readString(packaged))).isEmpty();
  }

  /** Text blocks of tests that are configurations. */
  @Test
  void configurationsOfTestsAreAdmitted() throws IOException {
    int accepted = 0;
    for (Path source : sources()) {
      Matcher block = TEXT_BLOCK.matcher(Files.readString(source));
      while (block.find()) {
        String text = filled(block.group(1).stripIndent().translateEscapes());
        if (SchemaVerdict.isAccepted(text)) {
          accepted++;
          assertThat(SchemaVerdict.mistakes(text)).as("%s: %s", source, text).isEmpty();
        }
      }
    }
    assertThat(accepted).isGreaterThan(10);
  }

  /** Replaces the conversions of a format string by values that are likely to be valid. */
  private static String filled(String format) {
    return format
        .replace("%d", "5")
        .replaceAll("(servers: .*?)%s", "$1ldap://a")
        .replace("%s", "/x");
  }

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(Repository.root().resolve("proxy-server/src/test/java"))) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "cache:",
        "cache: {exclusions: }",
        "cache.maxAge: 5s",
        "cache: {exclusions.subtrees: [dc=a]}",
        "log.access: {format: json}",
        "cache: {enabled: 'false', filterCacheSize: '5', maxBytes: 1024, maxAge: '0'}",
        "cache: {filterCacheSize: +5, bypassLimit: 007, maxBytes: '1024'}",
        "cache: {secrets: [1.20, 1.2, true]}",
        "cache: {maxAge: 0, maxStaleness: \"2s\"}",
        "socketMode: 0600",
        "socketMode: '0600'",
        "listen: [':389', 'LDAP://h:1', '[::1]:0', 'ldapi://%2frun%2Fx']",
        "upstream.overrides: [ldap://a weight 2]",
        "upstream.nameServer: 10.0.0.1",
        "limits: {network: {connections: auto}, identity: {connections: 5}}",
        "log: {levels: [feed=DEBUG, ' io.stoa.feed.event = warn ']}",
        "log: {access: {destination: 'syslog+udp://[::1]:514'}, audit: {destination: ''}}",
        "monitor: {readers: ['*', dc=a]}",
        "probe: {passwordFile: '', base: ''}",
        "access: {rules: [{name: 5, decision: deny, networks: 10.0.0.0/8, extended: 1.2}]}",
        "access: {rules: [{name: a, decision: deny, bindMethods: [simple, 1]}]}",
        "writes: {windows: [{name: a b, every: 1s}], windowOverrides: [a b every 2s]}",
        "cache: {exclusions: {identities: [1, 01, '']}}",
        "proxyProtocol: ['fd00::/8', 10.0.0.1]",
      })
  void otherSpellingsAreAdmitted(String lines) throws Exception {
    String text = lines + "\n" + SERVERS;
    if (lines.startsWith("upstream.")) {
      text = lines + "\nupstream.servers: [ldap://a]\n";
    }
    assertThat(ConfigReader.parse("file", text)).isNotNull();
    assertThat(SchemaVerdict.mistakes(text)).isEmpty();
  }

  @Test
  void itemsHaveAShortForm() throws Exception {
    String text =
        """
        upstream.servers: [ldap://a, {url: ldap://b, suffix: dc=b}]
        feed: {accounts: [dc=b]}
        """;
    assertThat(ConfigReader.parse("file", text)).isNotNull();
    assertThat(SchemaVerdict.mistakes(text)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("refusedFiles")
  void refusedFilesAreRefusedByBoth(Refused file) {
    assertThat(SchemaVerdict.isAccepted(file.text())).isFalse();
    List<String> mistakes = SchemaVerdict.mistakes(file.text());
    if (file.reason().isEmpty()) {
      assertThat(mistakes).isNotEmpty();
    } else {
      assertThat(mistakes).as("the schema refuses it, so it needs no reason").isEmpty();
    }
  }

  private static Stream<Refused> refusedFiles() {
    String everything = ConfigSamples.EVERYTHING_WRONG.replace("  filterCacheSize: 7\n", "");
    return Stream.of(
            REFUSED.lines().map(line -> new Refused(line + "\n" + SERVERS, "")),
            Stream.concat(REFUSED_FILES.lines(), Stream.of("", everything))
                .map(text -> new Refused(text, "")),
            beyondTheSchema())
        .flatMap(files -> files);
  }

  private static Stream<Refused> beyondTheSchema() {
    return Stream.of(
        beyond("cache: {enabled: True}", "an editor reads the same boolean"),
        beyond("cache: {filterCacheSize: 5.0}", "an editor reads the same number"),
        beyond("cache: {filterCacheSize: 0x10}", "an editor reads the same number"),
        beyond("cache: {maxStaleness: 100ms}", "a bound of a duration"),
        beyond("limits: {writeBuffer: 1KiB}", "a bound of a size"),
        beyond("cache: {maxResultBytes: 4GiB}", "a bound of a size with a unit"),
        beyond("limits: {frameAfterBind: 1KiB}", "a relation to limits.frameBeforeBind"),
        beyond("limits: {operationsInFlight: 30000}", "a relation to upstream.queueLimit"),
        beyond("tls: {clientAuth: require}", "a relation to tls.clientCa"),
        beyond("listen: ['ldaps://h:1']", "a relation to tls.certificate"),
        beyond("listen: ['h:70000']", "a number inside of a text"),
        beyond("proxyProtocol: [10.0.0.0/33]", "a number inside of a text"),
        beyond("management: {listen: '10.0.0.1:1'}", "a relation to management.certificate"),
        beyond("writes: {windowOverrides: [a every 2s]}", "the name of a window"),
        beyond("feed: {accounts: [dc=a]}", "the suffix of a server"),
        beyond("identity: {external: ['socket uid=7 => u:{name}']}", "names inside of a text"),
        beyond("cache: {exclusions: {subtrees: ['dc=a,b']}}", "the grammar of a DN"),
        beyond("cache: {secrets: [pin, pin]}", "1 and 01 differ as texts, but not as numbers"),
        beyond("cache.maxage: 5s", "a path with dots"),
        beyond("cache.maxAge: soon", "a path with dots"));
  }

  private static Refused beyond(String lines, String reason) {
    return new Refused(lines + "\n" + SERVERS, reason);
  }
}
