// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static io.stoa.testing.Requests.search;
import static io.stoa.trace.TraceDirectory.PEOPLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.CacheStats;
import io.stoa.net.tls.TlsConfig;
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
  private static final int USER = 3;
  private static final int CONNECTIONS = 5;
  private static final String START_TLS = "1.3.6.1.4.1.1466.20037";

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
    Trace.Turn turn = new Trace.Turn(run, USER);
    return new Trace(address, certificates.clientContext(), turn, Trace.Witness.NONE);
  }

  @ParameterizedTest
  @EnumSource
  void equalLookupsHit(TraceClient client) {
    compare(client, 1);
    CacheStats before = stoa.cache();
    Trace again = compare(client, 2);
    CacheStats after = stoa.cache();
    assertThat(after.filterHits() - before.filterHits()).isEqualTo(again.searches());
    assertThat(after.compareHits() - before.compareHits()).isEqualTo(again.compares());
  }

  /** Runs the client direct and through Stoa; returns what it did through Stoa. */
  private static Trace compare(TraceClient client, int run) {
    Trace expected = trace(direct.address(), run);
    Trace actual = trace(stoa.address(), run);
    client.run(expected);
    client.run(actual);
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
  void lookupsWithOtherAnswersAreReadSeparately() {
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

  /**
   * Scripts written with ldap3 open a connection for each thing that they do, and read the root DSE
   * and the whole schema on each: only the first of them costs the directory more than its bind.
   */
  @Test
  void aConnectionForEachRequestReadsTheSchemaFromMemory() {
    Trace expected = trace(direct.address(), 0);
    LibraryClients.ldap3(expected);
    LibraryClients.ldap3(trace(stoa.address(), 0));
    long before = stoa.cache().filterHits();
    int searches = 0;
    for (int connection = 0; connection < CONNECTIONS; connection++) {
      Trace plain = trace(stoa.address(), connection);
      LibraryClients.ldap3(plain);
      assertThat(expected.differences(plain)).isEmpty();
      Trace byTls = trace(stoa.address(), connection);
      LibraryClients.ldap3ByTls(byTls);
      assertThat(expected.differences(byTls)).allMatch(ClientTraceIT::isRootDse).hasSize(1);
      searches += plain.searches() + byTls.searches();
    }
    assertThat(stoa.cache().filterHits() - before).isEqualTo(searches);
  }

  /** It does not offer StartTLS where there is TLS. */
  private static boolean isRootDse(String difference) {
    String[] sides = difference.split("\nactual: ", 2);
    return sides[0].contains(START_TLS) && !sides[1].contains(START_TLS);
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
    for (TraceClient client : TraceClient.values()) {
      Trace trace = trace(direct.address(), 0);
      client.run(trace);
      shapes.addAll(trace.shapes());
    }
    Set<Integer> all = IntStream.rangeClosed(1, SHAPES).boxed().collect(Collectors.toSet());
    assertThat(shapes).isEqualTo(all);
  }
}
