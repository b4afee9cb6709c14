// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.InMemoryDirectory.PEOPLE;
import static io.stoa.testing.InMemoryDirectory.person;
import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.server.LoopMeter.Cost;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Soak;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers that Stoa gives itself are bounded, and delay no other client of the event loop. */
@Tag("soak")
@Tag("alone")
class OwnAnswersIT {
  private static final int BOUND = Soak.scale(100, 1_000);
  private static final int ANONYMOUS = Soak.scale(1_400, 7_000);
  private static final int VALUES = Soak.scale(2_000, 10_000);
  private static final int ROUNDS = 5;

  /** Requests that are sent together; as many again are more than may wait. */
  private static final int MANY = 120;

  private static final int MAX_TERMS = 256;

  /** Microseconds of processor time for which the event loop may serve no other client. */
  private static final long MAX_HELD = 1_000;

  private static final String VALUED = "stoa-cache-exclusions-identities";
  private static final RawRequest HIT =
      search(PEOPLE).filter("(uid=user.1)").attributes("uid").request();

  @TempDir Path folder;

  private InMemoryDirectory directory;
  private AdministeredServer stoa;
  private final List<RawLdapClient> otherClients = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(BOUND);
    String identities =
        IntStream.range(0, VALUES)
            .mapToObj(i -> "'uid=batch." + i + ",ou=services,dc=example,dc=com'")
            .collect(Collectors.joining(", "));
    stoa =
        AdministeredServer.start(
            folder,
            """
              maxConnections: 5000
            eventLoops: 1
            cache: {maxAge: 1h, bypassLimit: 20000, exclusions: {identities: [%s]}}
            """
                .formatted(identities),
            directory.port());
  }

  @AfterEach
  void stop() {
    otherClients.forEach(RawLdapClient::close);
    stoa.close();
    directory.close();
  }

  private void connectClients() {
    for (int i = 0; i < BOUND; i++) {
      RawLdapClient client = stoa.client().bind(person(i), InMemoryDirectory.PASSWORD);
      assertThat(client.code(HIT)).isZero();
      otherClients.add(client);
    }
    for (int i = 0; i < ANONYMOUS; i++) {
      otherClients.add(stoa.client());
    }
  }

  /** A filter of as many assertions as may be, none of which holds. */
  private static String largest(String attribute) {
    return IntStream.range(0, MAX_TERMS / 2)
        .mapToObj(i -> "(" + attribute + "=*none" + i + "*)")
        .collect(Collectors.joining("", "(|", ")"));
  }

  private static RawRequest monitor(String filter) {
    return search("cn=monitor").filter(filter).attributes("*", "+").request();
  }

  private static RawRequest configuration(String filter) {
    return search("cn=configuration").filter(filter).attributes("*", "+").request();
  }

  private static RawRequest explaining(RawRequest request) {
    return request.with(new Control(Oids.EXPLAIN, true, null));
  }

  // No other client waits

  @Test
  void noOtherClientOfTheEventLoopWaits() {
    connectClients();
    RawLdapClient admin = stoa.administrator();
    RawLdapClient anybody = stoa.client();
    final RawRequest all = search(PEOPLE).attributes("uid", "cn").request();
    assertThat(anybody.code(HIT)).isZero();
    assertThat(anybody.code(all)).isZero();
    Costs costs = new Costs(LoopMeter.of(stoa.server()), () -> searchForAWhile(anybody));
    costs.of("cn=monitor: all", 0, admin, monitor("(objectClass=*)"));
    costs.of(
        "cn=monitor: largest filter", 0, admin, monitor(largest("monitorConnectionPeerAddress")));
    costs.of("cn=monitor: first entry", 0, admin, search("cn=monitor").baseScope().request());
    costs.of("cn=monitor: anonymous, all", 0, anybody, monitor("(objectClass=*)"));
    costs.of("cn=monitor: anonymous, largest filter", 0, anybody, monitor(largest("entryDN")));
    costs.of("cn=monitor: filter of 188 KB", 11, anybody, monitor(terms("cn=monitor", 13_000)));
    RawRequest name = search("cn=a,".repeat(37_000) + "cn=monitor").request();
    costs.of("cn=monitor: name of 188 KB", 11, anybody, name);
    costs.of("cn=configuration: all", 0, admin, configuration("(objectClass=*)"));
    costs.of("cn=configuration: largest filter", 0, admin, configuration(largest(VALUED)));
    RawRequest root = search("").baseScope().filter(largest("vendorName")).request();
    costs.of("root DSE: largest filter", 0, admin, root);
    costs.of("root DSE: of the directory", 0, anybody, search("").baseScope().request());
    costs.of("explain: hit of one", 0, admin, explaining(HIT));
    costs.of("explain: hit of all", 0, admin, explaining(all));
    RawRequest wide = search(PEOPLE).filter(terms("uid=nobody.12345", 3_000)).request();
    costs.of("explain: filter of 60 KB", 0, admin, explaining(wide));
    costs.assertBounded();
  }

  /** Until the loop has looked after its clients, which it does twice a second. */
  private static void searchForAWhile(RawLdapClient client) {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < 1_100_000_000L) {
      assertThat(client.code(HIT)).isZero();
    }
  }

  private static String terms(String term, int count) {
    return "(|" + ("(" + term + ")").repeat(count) + ")";
  }

  /** The costs of several requests. Used by one thread. */
  private static final class Costs {
    private final LoopMeter meter;
    private final Cost ordinary;
    private final Map<String, Cost> all = new LinkedHashMap<>();

    /** Given searches that are answered from memory, beside what the loop does now and then. */
    Costs(LoopMeter meter, Runnable ordinary) {
      this.meter = meter;
      this.ordinary = measured("searches from memory", ordinary);
    }

    void of(String what, int code, RawLdapClient client, RawRequest request) {
      all.put(what, measured(what, () -> assertThat(client.code(request)).isEqualTo(code)));
    }

    private Cost measured(String what, Runnable action) {
      Cost first = meter.of(action);
      Cost least = first;
      for (int i = 1; i < ROUNDS; i++) {
        least = least.least(meter.of(action));
      }
      Soak.record(
          "%-38s event loop %6d µs, %5d µs at a time (first: %6d, %5d)"
              .formatted(
                  what,
                  least.allMicros(),
                  least.heldMicros(),
                  first.allMicros(),
                  first.heldMicros()));
      return least;
    }

    void assertBounded() {
      all.forEach(
          (what, cost) ->
              assertThat(cost.heldMicros()).as(what).isLessThan(ordinary.heldMicros() + MAX_HELD));
    }
  }

  // Bounds of time, and the end

  /** One client's answers are found one after the other, so that the last one waits. */
  @Test
  void theTimeLimitOfTheRequestHolds() {
    RawLdapClient client = stoa.administrator();
    RawRequest ofMonitor = search("cn=monitor").baseScope().timeLimit(1).request();
    RawRequest[] all = Arrays.copyOf(many(), MANY + 2);
    all[MANY] = search("cn=configuration").timeLimit(1).request();
    all[MANY + 1] = ofMonitor;
    int limited = client.sendTogether(all) + MANY;
    assertThat(RawLdapClient.last(client.await(limited)).resultCode()).isEqualTo(3);
    assertThat(RawLdapClient.last(client.await(limited + 1)).resultCode()).isEqualTo(3);
    assertThat(stoa.client().code(ofMonitor)).isZero();
  }

  private static RawRequest[] many() {
    RawRequest[] many = new RawRequest[MANY];
    Arrays.fill(many, configuration(largest(VALUED)));
    return many;
  }

  @Test
  void abandonAndDisconnectStopAnAnswer() {
    RawLdapClient client = stoa.administrator();
    long one = answerThreadNanos(() -> assertThat(client.code(many()[0])).isZero());
    long abandoned =
        answerThreadNanos(
            () -> {
              int first = client.sendTogether(many());
              for (int id = first; id < first + MANY; id++) {
                client.send(1_000 + id, Requests.abandon(id));
              }
              assertThat(client.code(search("cn=configuration").baseScope().request())).isZero();
            });
    long ended =
        answerThreadNanos(
            () -> {
              RawLdapClient other = stoa.bound();
              other.sendTogether(many());
              other.close();
              assertThat(client.code(search("cn=configuration").baseScope().request())).isZero();
            });
    Soak.record(
        "processor time: %d µs for one answer, %d µs for %d abandoned ones, %d µs for as many of a"
                .formatted(one / 1000, abandoned / 1000, MANY, ended / 1000)
            + " closed connection");
    assertThat(abandoned).isLessThan(MANY / 4 * one);
    assertThat(ended).isLessThan(MANY / 4 * one);
  }

  /** Returns the processor time that the threads of answers take for an action. */
  private static long answerThreadNanos(Runnable action) {
    long before = LoopMeter.nanos("stoa-answers");
    action.run();
    return LoopMeter.nanos("stoa-answers") - before;
  }

  @Test
  void answersBeyondTheQueueLimitAreRefused() {
    RawLdapClient client = stoa.administrator();
    int first = client.sendTogether(many());
    RawRequest[] more = new RawRequest[MANY];
    Arrays.fill(more, search("cn=monitor").baseScope().request());
    int next = client.sendTogether(more);
    assertThat(RawLdapClient.last(client.await(next + MANY - 1)).resultCode()).isEqualTo(51);
    assertThat(stoa.client().code(more[0])).isZero();
    assertThat(RawLdapClient.last(client.await(first)).resultCode()).isZero();
  }

  // Order

  @Test
  void answersFollowTheRequestOrder() {
    RawLdapClient client = stoa.administrator();
    int first =
        client.sendTogether(
            configuration(largest(VALUED)),
            search("cn=monitor").baseScope().request(),
            explaining(HIT),
            monitor("(objectClass=*)"),
            search("cn=configuration").baseScope().request());
    List<Integer> ended = new ArrayList<>();
    while (ended.size() < 5) {
      RawMessage message = client.next().orElseThrow();
      if (message.isFinal()) {
        assertThat(message.resultCode()).isZero();
        ended.add(message.messageId());
      }
    }
    assertThat(ended).containsExactly(first, first + 1, first + 2, first + 3, first + 4);
  }

  /** A bind waits for the answers of the identity before it. */
  @Test
  void aRebindEndsTheAdministratorsAnswers() {
    RawLdapClient client = stoa.bound();
    RawRequest clients = monitor("(objectClass=monitorConnection)");
    int first = client.sendTogether(clients, Requests.anonymousBind(), clients);
    assertThat(client.await(first)).hasSizeGreaterThan(1);
    assertThat(client.await(first + 1)).hasSize(1);
    assertThat(client.await(first + 2)).hasSize(1);
  }
}
