// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.server.StoaProcess;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.Ldif;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Passwords are never on the heap: not while clients bind, and not while they are connected. */
class HeapDumpIT {
  private static final int CLIENTS = 100;
  private static final int MUCH = 5_000;
  private static final String MARKER = "heap-marker-Zq8w-7WxV";
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int INVALID_CREDENTIALS = 49;
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;
  private static final int RESTING = 20;
  private static final String CURRENT = "cn=Current,cn=Connections,cn=Monitor";
  private static final String SERVER =
      "cn=server 1,cn=tier 1,cn=Backend Tiers,cn=Load Balancer,cn=Backends,cn=Monitor";
  private static final int ADMINISTRATORS = 2;
  private static final List<String> ACCOUNTS = List.of("feed", "service");
  private static final String SYNCPROV = "overlay syncprov\nsyncprov-sessionlog 1000\n";

  @Test
  void noPasswordIsOnTheHeap() {
    try (Slapd slapd = Slapd.start(People.slapd(CLIENTS, MARKER));
        StoaProcess stoa = StoaProcess.before(slapd)) {
      assertNoPassword(stoa, stoa::client);
    }
  }

  /** BoringSSL works outside the heap, on both sides. */
  @Test
  void noPasswordIsOnTheHeapWithTls() {
    try (Certificates certificates = Certificates.create();
        Slapd slapd =
            Slapd.start(People.slapd(CLIENTS, MARKER).tls(certificates, certificates.server()));
        StoaProcess stoa = StoaProcess.configured(tls(certificates, slapd))) {
      SSLContext context = certificates.clientContext();
      assertNoPassword(stoa, () -> stoa.client().startTls(context));
    }
  }

  /**
   * Clients that bind and then rest, and clients that compare and change a password; afterwards all
   * of them are gone. Stored passwords are outside the heap, for as long as a client is connected.
   */
  @Test
  void noPasswordIsOnTheHeapWhileConnectionsRest() throws IOException {
    try (Slapd slapd = Slapd.start(People.slapd(RESTING, MARKER));
        StoaProcess stoa =
            StoaProcess.configured(
                "upstream: {servers: ['%s']}\nmonitor: {readers: ['*']}\n"
                    .formatted(slapd.url()))) {
      List<RawLdapClient> clients =
          IntStream.range(0, RESTING).mapToObj(number -> resting(stoa, number)).toList();
      assertThat(monitored(stoa, SERVER, "olmActiveConnections"))
          .as("each identity has a connection")
          .isGreaterThanOrEqualTo(RESTING);
      assertNoPassword(stoa, "at rest");
      clients.subList(0, RESTING / 2).forEach(RawLdapClient::close);
      clients.subList(RESTING / 2, RESTING).forEach(RawLdapClient::reset);
      Await.until(
          "only the client of the test is left",
          () -> monitored(stoa, CURRENT, "monitorCounter") == 1);
      assertNoPassword(stoa, "after the end of the clients");
    }
  }

  /** Returns a bound client. Each second one has compared and changed its password, too. */
  private static RawLdapClient resting(StoaProcess stoa, int number) {
    RawLdapClient client = stoa.client().bind(People.dn(number), MARKER);
    if (number % 2 == 0) {
      RawRequest compare = Requests.compare(People.dn(number), "userPassword", MARKER);
      assertThat(client.code(compare)).isEqualTo(COMPARE_TRUE);
      RawRequest wrong = Requests.compare(People.dn(number), "userPassword", MARKER + "-wrong");
      assertThat(client.code(wrong)).isEqualTo(COMPARE_FALSE);
      RawRequest change = Requests.replace(People.dn(number), "userPassword", MARKER);
      assertThat(client.code(change)).isZero();
    }
    return client;
  }

  private static void assertNoPassword(StoaProcess stoa, String when) throws IOException {
    Path file = stoa.directory().resolve("heap.hprof");
    HeapDump dump = HeapDump.of(stoa.pid(), file);
    assertThat(dump.contains(MARKER)).as("the heap holds a password %s", when).isFalse();
    assertThat(dump.contains(People.dn(0))).as("the dump is readable").isTrue();
    Files.delete(file);
  }

  /** Returns a number of an entry in {@code cn=Monitor}. */
  private static int monitored(StoaProcess stoa, String dn, String attribute) {
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", stoa.address().getPort())) {
      return client.getEntry(dn, attribute).getAttributeValueAsInteger(attribute);
    } catch (LDAPException e) {
      throw new AssertionError("cn=Monitor is not readable", e);
    }
  }

  /** Passwords of the feed and of the service account, and those that administrators send. */
  @Test
  void noPasswordOfTheConfigurationIsOnTheHeap(@TempDir Path directory) throws IOException {
    Ldif tree = People.tree(2);
    for (String account : ACCOUNTS) {
      tree.entry(
          dn(account),
          "objectClass: person",
          "cn: " + account,
          "sn: " + account,
          "userPassword: " + password(account),
          "authzTo: dn.regex:^uid=[^,]+," + People.PEOPLE + "$");
      Files.writeString(directory.resolve(account), password(account) + "\n");
    }
    SlapdConfig slapdConfig =
        SlapdConfig.stock()
            .global("authz-policy to")
            .module("syncprov")
            .database(People.SUFFIX, SYNCPROV, tree);
    try (Slapd slapd = Slapd.start(slapdConfig);
        StoaProcess stoa = StoaProcess.configured(accounts(slapd, directory))) {
      Await.until("the feed is live", () -> isLive(stoa));
      administrate(stoa);
      HeapDump dump = HeapDump.of(stoa.pid(), stoa.directory().resolve("heap.hprof"));
      assertThat(dump.contains(People.SUFFIX)).as("the dump is readable").isTrue();
      SoftAssertions.assertSoftly(
          all ->
              Stream.concat(ACCOUNTS.stream(), Stream.of("administrator", "wrong"))
                  .forEach(
                      whose ->
                          all.assertThat(dump.contains(password(whose)))
                              .as("the heap holds the password of " + whose)
                              .isFalse()));
    }
  }

  private static String dn(String account) {
    return "cn=" + account + "," + People.SUFFIX;
  }

  private static String password(String account) {
    return MARKER + "-of-" + account;
  }

  private static String accounts(Slapd slapd, Path directory) {
    return """
    upstream:
      servers: ['%s']
    feed: {bindDn: '%s', passwordFile: '%s', assumeCoverage: true}
    identity: {mode: proxied, serviceDn: '%s', servicePasswordFile: '%s'}
    monitor: {readers: ['*']}
    admin: {passwordHash: '%s'}
    """
        .formatted(
            slapd.url(),
            dn("feed"),
            directory.resolve("feed"),
            dn("service"),
            directory.resolve("service"),
            PasswordHash.of(password("administrator").getBytes(UTF_8)).print());
  }

  private static boolean isLive(StoaProcess stoa) {
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", stoa.address().getPort())) {
      return !client
          .search("cn=Feeds,cn=Monitor", SearchScope.SUB, "(stoaFeedState=live)", "1.1")
          .getSearchEntries()
          .isEmpty();
    } catch (LDAPException e) {
      return false;
    }
  }

  private static void administrate(StoaProcess stoa) {
    String admin = "cn=admin,cn=configuration";
    for (int i = 0; i < ADMINISTRATORS; i++) {
      try (RawLdapClient client = stoa.client()) {
        assertThat(client.code(Requests.bind(admin, password("wrong"))))
            .isEqualTo(INVALID_CREDENTIALS);
        client.bind(admin, password("administrator"));
      }
    }
  }

  private static String tls(Certificates certificates, Slapd slapd) {
    Certificates.Pair own = certificates.server();
    return """
    upstream:
      servers: [%s]
      tls: {ca: %s}
    tls: {certificate: %s, key: %s, provider: openssl}
    """
        .formatted(slapd.ldapsUrl(), certificates.ca(), own.certificate(), own.key());
  }

  private static void assertNoPassword(StoaProcess stoa, Supplier<RawLdapClient> clients) {
    AtomicBoolean dumped = new AtomicBoolean();
    AtomicLong operations = new AtomicLong();
    Parallel.run(
        CLIENTS + 1,
        PATIENCE,
        number -> {
          if (number == CLIENTS) {
            Await.until("load", () -> operations.get() > MUCH);
            HeapDump dump = HeapDump.of(stoa.pid(), stoa.directory().resolve("heap.hprof"));
            dumped.set(true);
            assertThat(dump.contains(MARKER)).as("the heap holds a password").isFalse();
            assertThat(dump.contains(People.SUFFIX)).as("the dump is readable").isTrue();
          } else {
            work(clients, number, dumped, operations);
          }
        });
  }

  private static void work(
      Supplier<RawLdapClient> clients, int number, AtomicBoolean dumped, AtomicLong operations) {
    try (RawLdapClient client = clients.get()) {
      while (!dumped.get()) {
        client.bind(People.dn(number), MARKER);
        for (int i = 0; i < 20; i++) {
          assertThat(client.code(People.find((number + i) % CLIENTS))).isZero();
        }
        assertThat(client.code(samePassword(number))).isZero();
        assertThat(client.code(Requests.bind(People.dn(number), MARKER + "-wrong")))
            .isEqualTo(INVALID_CREDENTIALS);
        client.bind(People.dn(number), MARKER);
        operations.addAndGet(25);
      }
    }
  }

  /** Changes the password to what it was. */
  private static RawRequest samePassword(int number) {
    var request = new PasswordModifyExtendedRequest(People.dn(number), MARKER, MARKER);
    return Requests.extended(request.getOID(), request.getValue().getValue());
  }
}
