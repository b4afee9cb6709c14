// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldif.LDIFException;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clients that send large searches and never read, before a slapd with few threads: slapd keeps a
 * thread for each answer that is not taken.
 */
class SlowReadersIT {
  private static final int THREADS = 4;
  private static final int SLOW = 10;
  private static final int OTHERS = 4;

  /** So few may hold up the server for longer. */
  private static final int LEFT = 2;

  private static final int PEOPLE = 100;
  private static final int LARGE = 64;
  private static final int HUGE = 100;
  private static final int MEGABYTE = 1 << 20;
  private static final String UNIT = "ou=large," + People.SUFFIX;
  private static final Duration DEADLINE = Duration.ofSeconds(15);
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void startSlapd() throws LDAPException, LDIFException {
    String settings = "sockbuf_max_incoming_auth 134217728\nthreads " + THREADS;
    slapd = Slapd.start(People.slapd(PEOPLE).global(settings));
    try (LDAPConnection admin =
        new LDAPConnection("127.0.0.1", slapd.port(), People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      admin.add("dn: " + UNIT, "objectClass: organizationalUnit", "ou: large");
      String photo = "A".repeat(MEGABYTE); // in base 64
      for (int i = 0; i < LARGE; i++) {
        admin.add(
            "dn: cn=large" + i + "," + UNIT,
            "objectClass: inetOrgPerson",
            "cn: large" + i,
            "sn: large",
            "jpegPhoto:: " + photo);
      }
    }
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
  }

  @Test
  void clientsThatNeverReadDoNotTakeTheThreadsOfTheServer() {
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).start();
        ClientSwarm slow = new ClientSwarm()) {
      for (int i = 0; i < SLOW; i++) {
        slow.add(proxy.client()).send(search(UNIT).filter("(!(sn=" + i + "))").request());
      }
      Await.until("all are connected", () -> proxy.status().connections() == SLOW);
      AtomicInteger searches = new AtomicInteger();
      Parallel.run(
          OTHERS,
          PATIENCE,
          number -> {
            try (RawLdapClient other = proxy.client().patience(DEADLINE)) {
              do {
                assertThat(other.call(lookUp(searches.incrementAndGet()))).hasSize(2);
              } while (proxy.status().connections() > OTHERS + LEFT);
            }
          });
      assertThat(searches.get()).isPositive();
      Await.until("no thread of slapd is held", () -> slapd.underWay("Search") == 0);
    }
  }

  /** Both share a connection to the server, so the write's answer comes behind the large one. */
  @Test
  void aWriteIsAnsweredBesideAClientThatNeverReads() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start()) {
      Held write = upstream.hold(request -> request.is(Received.MODIFY));
      upstream.when(
          SlowReadersIT::isHuge, huge().then((request, link) -> write.answer(Answers.success())));
      try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
          RawLdapClient lazy = proxy.client();
          RawLdapClient onTheOtherLoop = proxy.client();
          RawLdapClient other = proxy.client()) {
        assertThat(onTheOtherLoop.code(lookUp(0))).isZero();
        final int id = other.send(Requests.replace(People.dn(1), "sn", "other"));
        write.awaitArrival();
        lazy.send(search(UNIT).request());
        assertThat(RawLdapClient.last(other.await(id)).resultCode()).isZero();
        assertThat(upstream.received(SlowReadersIT::isHuge).get(0).connection())
            .isEqualTo(upstream.received(one -> one.is(Received.MODIFY)).get(0).connection());
        assertThat(proxy.status().connections()).isEqualTo(2); // without the lazy one
      }
    }
  }

  private static boolean isHuge(Received request) {
    return request.isSearchFor("ou=large");
  }

  /** More than kernels and Stoa hold for one client. */
  private static Answer huge() {
    Answer entry = Answers.onlyEntries(Answers.person("large", "x".repeat(MEGABYTE / 2)));
    return (request, link) -> {
      for (int i = 0; i < HUGE; i++) {
        entry.to(request, link);
      }
    };
  }

  /** A search that nobody has done before: it goes to the directory. */
  private static RawRequest lookUp(int number) {
    String name = "user." + number % PEOPLE;
    return Requests.search(People.PEOPLE)
        .filter("(&(uid=" + name + ")(!(sn=" + number + ")))")
        .attributes("uid", "cn", "mail")
        .request();
  }
}
