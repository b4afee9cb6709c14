// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static io.stoa.testing.Requests.search;
import static io.stoa.trace.TraceDirectory.PEOPLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.CacheStats;
import io.stoa.codec.TlsConfig;
import io.stoa.testing.Certificates;
import io.stoa.testing.LongForm;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SearchBuilder;
import io.stoa.testing.Slapd;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What clients in the wild send, octet for octet with their habits on connections: answered as the
 * directory answers it, and from memory when they ask again.
 */
class ClientTraceIT {
  private static final int SHAPES = 39;

  /** The clients of the trace. */
  enum Client {
    SSSD(HostClients::sssd),
    SSSD_BY_TLS(HostClients::sssdByTls),
    NSLCD(HostClients::nslcd),
    SUDO(HostClients::sudo),
    GITLAB(LoginClients::gitlab),
    JENKINS(LoginClients::jenkins),
    SPRING_SECURITY(LoginClients::spring),
    KEYCLOAK(LoginClients::keycloak),
    VAULT(LoginClients::vault),
    GRAFANA(LoginClients::grafana),
    APACHE(LoginClients::apache),
    KANBOARD_NEXTCLOUD(LoginClients::kanboardAndNextcloud),
    POSTFIX(ServiceClients::postfix),
    DOVECOT(ServiceClients::dovecot),
    FREERADIUS(ServiceClients::freeradius),
    POWERDNS(ServiceClients::powerDns),
    LDAP3(LibraryClients::ldap3),
    JNDI(LibraryClients::jndi),
    LIBLDAP(LibraryClients::libldap),
    NET_LDAP(LibraryClients::netLdap),
    LDAPTS(LibraryClients::ldapts);

    @SuppressWarnings("ImmutableEnumChecker") // a method reference that holds nothing
    private final Consumer<Trace> script;

    Client(Consumer<Trace> script) {
      this.script = script;
    }
  }

  private static Certificates certificates;
  private static Slapd direct;
  private static Slapd behind;
  private static RunningProxy stoa;

  @BeforeAll
  static void start() {
    certificates = Certificates.create();
    Certificates.Pair own = certificates.server();
    direct = Slapd.start(TraceDirectory.config().tls(certificates, own));
    behind = Slapd.start(TraceDirectory.config().tls(certificates, own));
    stoa =
        ProxySetup.before(behind.port())
            .maxAge(Duration.ofHours(1))
            .tls(TlsConfig.DEFAULTS.identity(own.certificate(), own.key()), "127.0.0.1:0")
            .start();
  }

  @AfterAll
  static void stop() {
    stoa.close();
    behind.close();
    direct.close();
    certificates.close();
  }

  private static Trace trace(InetSocketAddress address, int run) {
    return new Trace(address, certificates.clientContext(), run);
  }

  @ParameterizedTest
  @EnumSource
  void equalLookupsHit(Client client) {
    compare(client, 1);
    CacheStats before = stoa.cache();
    Trace again = compare(client, 2);
    CacheStats after = stoa.cache();
    assertThat(after.filterHits() - before.filterHits()).isEqualTo(again.searches());
    assertThat(after.compareHits() - before.compareHits()).isEqualTo(again.compares());
  }

  /** Runs the client direct and through Stoa; returns what it did through Stoa. */
  private static Trace compare(Client client, int run) {
    Trace expected = trace(direct.address(), run);
    Trace actual = trace(stoa.address(), run);
    client.script.accept(expected);
    client.script.accept(actual);
    assertThat(expected.differences(actual)).isEmpty();
    return actual;
  }

  /** Time limits, other length octets and the spelling of names make no other lookup. */
  @Test
  void oneLookupInManyWordingsIsReadOnce() {
    SearchBuilder lookup = search(PEOPLE).filter("(uid=user.11)").attributes("cn", "mail");
    RawRequest plain = Fingerprint.LIBLDAP.of(lookup);
    Consumer<Trace> wordings =
        trace -> {
          try (TracedConnection connection = trace.connect()) {
            connection
                .lookup(38, plain)
                .lookup(38, Fingerprint.LDAPTS.of(lookup))
                .lookup(38, Fingerprint.FREERADIUS.of(lookup))
                .lookup(38, LongForm.of(plain.encode(77)), 77)
                .lookup(38, Fingerprint.LIBLDAP.of(lookup.filter("(UID=user.11)")))
                .lookup(38, Fingerprint.LIBLDAP.of(lookup.attributes("mail", "cn")));
          }
        };
    assertThat(misses(wordings)).isEqualTo(1);
  }

  /** What may change the answer is another lookup: alias handling, and referrals as entries. */
  @Test
  void whatMayChangeTheAnswerIsAnotherLookup() {
    SearchBuilder lookup = search(PEOPLE).filter("(uid=user.12)").attributes("cn", "mail");
    Consumer<Trace> libraries =
        trace -> {
          try (TracedConnection connection = trace.connect()) {
            connection
                .lookup(38, Fingerprint.LIBLDAP.of(lookup))
                .lookup(38, Fingerprint.NET_LDAP.of(lookup))
                .lookup(36, Fingerprint.LDAP3.of(lookup))
                .lookup(37, Fingerprint.JNDI.of(lookup))
                .lookup(37, Fingerprint.JNDI_FOLLOW.of(lookup));
          }
        };
    assertThat(misses(libraries)).isEqualTo(4);
    assertThat(misses(libraries)).isZero();
  }

  /** How many searches of the script, the same direct and through Stoa, reached the directory. */
  private static long misses(Consumer<Trace> script) {
    Trace expected = trace(direct.address(), 0);
    Trace actual = trace(stoa.address(), 0);
    script.accept(expected);
    long before = stoa.cache().filterHits();
    script.accept(actual);
    assertThat(expected.differences(actual)).isEmpty();
    return actual.searches() - (stoa.cache().filterHits() - before);
  }

  @Test
  void theTraceHoldsEveryShape() {
    Set<Integer> shapes = new TreeSet<>();
    for (Client client : Client.values()) {
      Trace trace = trace(direct.address(), 0);
      client.script.accept(trace);
      shapes.addAll(trace.shapes());
    }
    Set<Integer> all = IntStream.rangeClosed(1, SHAPES).boxed().collect(Collectors.toSet());
    assertThat(shapes).isEqualTo(all);
  }
}
