// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.ExpectedLog;
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
import io.stoa.testing.UpstreamLink;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A slapd that ends a connection on which more than a few operations wait ({@code
 * conn_max_pending}): clients with one search each notice nothing of it, direct or through Stoa.
 */
class PendingLimitIT {
  private static final int CLIENTS = 40;
  private static final int SEARCHES = 10;
  private static final int PEOPLE = 300;
  private static final int MAX_PENDING = 5;
  private static final int MAX_LEARNT = 20;
  private static final int EACH_MILLIS = 5;
  private static final int OTHER = 80;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void startSlapd() {
    SlapdConfig config =
        People.slapd(PEOPLE).global("threads 4\nconn_max_pending 5\nconn_max_pending_auth 2");
    slapd = Slapd.start(config);
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
  }

  @Test
  void clientsWithOneSearchEachAreAllAnsweredDirectly() {
    assertThat(codes(slapd.address(), "")).containsOnly(Map.entry(0, CLIENTS * SEARCHES));
  }

  @Test
  void anonymousClientsWithOneSearchEachAreAllAnswered() {
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).start()) {
      assertThat(codes(proxy.address(), "")).containsOnly(Map.entry(0, CLIENTS * SEARCHES));
    }
  }

  @Test
  void clientsOfOneIdentityWithOneSearchEachAreAllAnswered() {
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).start()) {
      assertThat(codes(proxy.address(), People.dn(1)))
          .containsOnly(Map.entry(0, CLIENTS * SEARCHES));
    }
  }

  /** Reads are sent again, and the write once only: the server may have done it. */
  @Test
  void aWriteIsNotSentAgain() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        FewPending few = new FewPending()) {
      upstream.when(request -> request.isSearchFor("uid=") || request.is(Received.MODIFY), few);
      try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
          RawLdapClient client = proxy.client()) {
        int first = client.sendTogether(requests());
        int write = first + CLIENTS / 2;
        Set<Integer> reads = new TreeSet<>();
        for (int id = first; id < first + CLIENTS; id++) {
          int code = RawLdapClient.last(client.await(id)).resultCode();
          if (id == write) {
            assertThat(code).isEqualTo(OTHER);
          } else {
            reads.add(code);
          }
        }
        assertThat(reads).containsOnly(0);
        assertThat(upstream.received(request -> request.is(Received.MODIFY))).hasSize(1);
        assertThat(limit(proxy)).isBetween(1, MAX_LEARNT);
        assertThat(log.warningsOf("ConnectionLimit")).isNotEmpty();
      }
    }
  }

  /** Searches that are all different, and a modification in their middle. */
  private static RawRequest[] requests() {
    return IntStream.range(0, CLIENTS)
        .mapToObj(
            number ->
                number == CLIENTS / 2
                    ? Requests.replace(People.dn(number), "sn", "other")
                    : search(People.dn(number)).request())
        .toArray(RawRequest[]::new);
  }

  /** The learnt limit of the one server. */
  private static int limit(RunningProxy proxy) {
    return proxy.status().backends().get(0).places().ofConnection();
  }

  /** Ends a connection on which more than a few requests wait for their answers. */
  private static final class FewPending implements Answer, AutoCloseable {
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final Map<Integer, Integer> pending = new HashMap<>();

    @Override
    public synchronized void to(Received request, UpstreamLink link) {
      if (pending.merge(link.number(), 1, Integer::sum) > MAX_PENDING) {
        link.close();
      } else if (!clock.isShutdown()) {
        clock.schedule(() -> answer(request, link), EACH_MILLIS, TimeUnit.MILLISECONDS);
      }
    }

    private synchronized void answer(Received request, UpstreamLink link) {
      pending.merge(link.number(), -1, Integer::sum);
      Answers.success().to(request, link);
    }

    @Override
    public void close() {
      clock.shutdownNow();
    }
  }

  /** How often each result code came, of searches that are all different. */
  private static Map<Integer, Integer> codes(InetSocketAddress address, String dn) {
    Map<Integer, Integer> codes = new TreeMap<>();
    Parallel.run(
        CLIENTS,
        PATIENCE,
        client -> {
          try (RawLdapClient one = RawLdapClient.connect(address)) {
            if (!dn.isEmpty()) {
              one.bind(dn, People.PASSWORD);
            }
            for (int i = 0; i < SEARCHES; i++) {
              int code = one.code(lookUp(client * SEARCHES + i));
              synchronized (codes) {
                codes.merge(code, 1, Integer::sum);
              }
            }
          }
        });
    return codes;
  }

  /** A search that has slapd look at all entries. */
  private static RawRequest lookUp(int number) {
    return search(People.PEOPLE).filter("(mail=*r." + number + "@*)").request();
  }
}
