// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.netty.util.internal.PlatformDependent;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that ask for much and take little of it: others are served, and memory is bounded. */
class UnreadResponsesIT {
  private static final long MEGABYTE = 1 << 20;
  private static final int LARGE_ENTRIES = 9;
  private static final int HUGE_ENTRIES = 600;
  private static final int VALUE_OCTETS = 100_000;
  private static final int EQUAL_SEARCHES = 150;
  private static final int OTHER_SEARCHES = 300;
  private static final int SLOW_SEARCHES = 3;
  private static final int ABANDONED_SEARCHES = 1500;
  private static final RawRequest ANSWERED_BY_STOA = Requests.extended("1.3.6.1.1.19");
  private static final Duration PROMPT = Duration.ofSeconds(10);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private static RawRequest find(String name) {
    return search("ou=" + name + "," + People.SUFFIX).request();
  }

  private static Answer entries(int count) {
    Entry entry = Answers.person("large", "x".repeat(VALUE_OCTETS));
    return Answers.entries(IntStream.range(0, count).mapToObj(i -> entry).toArray(Entry[]::new));
  }

  @Test
  void equalSearchesOfAClientThatReadsNothingTakeBoundedMemory() {
    upstream.when(request -> request.isSearchFor("ou=large"), entries(LARGE_ENTRIES));
    try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
        RawLdapClient lazy = proxy.client();
        RawLdapClient other = proxy.client()) {
      final long before = PlatformDependent.usedDirectMemory();
      lazy.sendOctets(equalSearches());
      Await.until("answers wait", () -> proxy.status().writeWaiters() > 0);
      for (int i = 0; i < OTHER_SEARCHES; i++) {
        assertThat(other.code(find("other" + i))).isZero();
        assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(32 * MEGABYTE);
      }
    }
  }

  private static byte[] equalSearches() {
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    for (int i = 1; i <= EQUAL_SEARCHES; i++) {
      octets.writeBytes(find("large").encode(i));
    }
    return octets.toByteArray();
  }

  @Test
  void anUnreadSearchDoesNotBlockAnEqualSearch() {
    upstream.when(request -> request.isSearchFor("ou=huge"), entries(HUGE_ENTRIES));
    Held held = upstream.hold(request -> request.isSearchFor("ou=shared"));
    try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
        RawLdapClient slow = proxy.client();
        RawLdapClient other = proxy.client()) {
      slow.send(find("shared"));
      held.awaitArrival();
      slow.send(find("huge"));
      Await.until("answers wait", () -> proxy.status().writeWaiters() > 0);
      assertThat(other.patience(PROMPT).code(find("shared"))).isZero();
    }
  }

  @Test
  void abandonedSearchesTakeNoPlaceInTheQueue() {
    ProxySetup narrow =
        ProxySetup.before(upstream.port())
            .cachesOff()
            .upstream("maxInFlightPerConnection", 1)
            .upstream("maxConnections", SLOW_SEARCHES)
            .upstream("queueLimit", 1000);
    try (RunningProxy proxy = narrow.start();
        RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      final List<Held> slow = slowSearches(client);
      final int waiting = client.send(find("waiting"));
      client.sendOctets(abandonedSearches());
      client.call(ANSWERED_BY_STOA);
      final int bind = other.send(Requests.bind(People.dn(1), People.PASSWORD));
      Await.until("the bind waits too", () -> proxy.status().queued() >= 2);
      slow.forEach(held -> held.answer(Answers.success()));
      assertThat(RawLdapClient.last(other.await(bind)).resultCode()).isZero();
      assertThat(RawLdapClient.last(client.await(waiting)).resultCode()).isZero();
      Await.until("nothing waits", () -> proxy.status().queued() == 0);
    }
  }

  private static byte[] abandonedSearches() {
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    for (int id = 1000; id < 1000 + ABANDONED_SEARCHES; id++) {
      octets.writeBytes(find("abandoned").encode(id));
      octets.writeBytes(Requests.abandon(id).encode(1_000_000 + id));
    }
    return octets.toByteArray();
  }

  private List<Held> slowSearches(RawLdapClient client) {
    List<Held> slow =
        IntStream.range(0, SLOW_SEARCHES)
            .mapToObj(i -> upstream.hold(request -> request.isSearchFor("ou=slow" + i)))
            .toList();
    for (int i = 0; i < SLOW_SEARCHES; i++) {
      client.send(find("slow" + i));
      slow.get(i).awaitArrival();
    }
    return slow;
  }
}
