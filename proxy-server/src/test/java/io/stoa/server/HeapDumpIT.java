// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

/** Passwords are never on the heap: not while clients bind, and not while they are connected. */
class HeapDumpIT {
  private static final int CLIENTS = 100;
  private static final int MUCH = 5_000;
  private static final String MARKER = "heap-marker-Zq8w-7WxV";
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int INVALID_CREDENTIALS = 49;

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

  private static String tls(Certificates certificates, Slapd slapd) {
    Certificates.Pair own = certificates.server();
    return """
        upstreams: [%s]
        upstream: {tls: {ca: %s}}
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
