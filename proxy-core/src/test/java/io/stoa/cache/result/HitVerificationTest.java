// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static io.stoa.testing.SmallDirectory.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.cache.sharing.SharingConfig;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadSource;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.CacheOutcome;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.SessionGuarantees;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.SmallDirectory;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of the answer when a hit of a member is asked again, and as whom it is asked. */
class HitVerificationTest {
  private static final byte[] QUESTION =
      Requests.search("dc=x").filter("(cn=x)").attributes("cn").request().op();
  private static final byte[] NESTED =
      Requests.search("dc=x").filter("(&(cn=x)(|(cn=x)(cn=y)))").attributes("cn").request().op();

  private DecodeLimits limits = DecodeLimits.DEFAULTS;
  private final RequestDecoder decoder = new RequestDecoder(() -> limits);
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Caches caches = caches();
  private final Deque<Operation> upstream = new ArrayDeque<>();
  private final CacheStage stage = new CacheStage(caches, consistency(), this::send);
  private final Client one = new Client("cn=one,dc=x");
  private final Client two = new Client("cn=two,dc=x");

  private static Caches caches() {
    Declaration apps =
        new Declaration("apps", List.of("*,dc=x"), List.of(), "dc=x", Attributes.ALL, false);
    CacheConfig config =
        Records.with(CacheConfig.DEFAULTS, "sharing", new SharingConfig(List.of(apps), 1000));
    Caches made =
        new Caches(
            Records.with(config, "maxAge", Duration.ofHours(1)),
            () -> Duration.ofSeconds(1),
            new AlwaysAvailable(),
            Caches.ClockAndRandom.SYSTEM);
    made.setProfile(SmallDirectory.PROFILE);
    return made;
  }

  private static SessionGuarantees consistency() {
    return new SessionGuarantees(
        ReplicationConfig.DEFAULTS,
        () -> Duration.ofSeconds(1),
        () -> Duration.ofSeconds(1),
        () -> SmallDirectory.PROFILE,
        System::nanoTime);
  }

  private void send(Operation operation) {
    operation.request(); // as the real stages do
    upstream.add(operation);
  }

  /** A connection, on which somebody may bind anew. */
  private final class Client {
    private final ClientSession never = new InternalSession(channel.eventLoop());
    private final ClientSession session =
        (ClientSession)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {ClientSession.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "identity" -> this.identity;
                      case "isOpen" -> this.open;
                      case "hashCode" -> System.identityHashCode(proxy);
                      case "equals" -> proxy == arguments[0];
                      default -> method.invoke(never, arguments);
                    });
    private ClientIdentity identity;
    private boolean open = true;
    private int answers;

    Client(String dn) {
      bind(dn);
    }

    void bind(String dn) {
      identity = ClientIdentity.simple(octets(dn), null);
    }

    void search() {
      search(QUESTION);
    }

    void search(byte[] question) {
      LdapMessage message = LdapMessage.ofBody(1, question);
      stage.handle(
          new Operation(
              session, message, decoder, System.nanoTime(), own -> new Counting(own, this)));
    }
  }

  /** Counts the answers to a client. Event-loop confined. */
  private static final class Counting extends InternalSink {
    private final Client client;

    Counting(Operation operation, Client client) {
      super(operation);
      this.client = client;
    }

    @Override
    public void complete(Response response) {
      response.release();
      client.answers += end() ? 1 : 0;
    }

    @Override
    public void reject(Rejection reason) {
      throw new AssertionError(reason);
    }

    @Override
    public void onAbandoned() {
      throw new AssertionError("nobody abandons anything");
    }
  }

  @AfterEach
  void close() {
    channel.close();
  }

  private void answer(int code) {
    LdapMessage done = LdapMessage.of(1, Responses.searchDone(code).op(), List.of());
    upstream.remove().sink().complete(done);
  }

  private ClassStatus status() {
    return caches.classes().status(System.nanoTime()).get(0);
  }

  /** The second is given what was read as the first: nothing was found. */
  private void hit() {
    hit(QUESTION);
  }

  private void hit(byte[] question) {
    channel.freezeTime();
    one.search(question);
    answer(0);
    two.search(question);
    assertThat(two.answers).isEqualTo(1);
    assertThat(upstream).as("its client has the answer first").isEmpty();
  }

  private void askAgain() {
    channel.runPendingTasks();
  }

  /** It shares nothing, and is asked for what it owes as soon as it comes by. */
  private void assertSecondHasPendingVerification() {
    assertThat(status().samples()).isZero();
    assertThat(status().differences()).isZero();
    two.search();
    assertThat(two.answers).as("not from memory").isEqualTo(1);
    assertThat(upstream).as("its own request, and what it owes").hasSize(2);
  }

  @Test
  void anEqualAnswerIsNoDifference() {
    hit();
    askAgain();
    answer(0);
    assertThat(status().samples()).isEqualTo(1);
    assertThat(status().differences()).isZero();
    two.search();
    assertThat(two.answers).isEqualTo(2);
  }

  /**
   * No such object, no right, a limit that is the client's, and that somebody else is to be asked:
   * that is what this client is told, and others may be told something else. Who is out of time,
   * busy or not there says nothing of what it may see.
   */
  @ParameterizedTest
  @CsvSource({
    "32, true",
    "50, true",
    "4, true",
    "11, true",
    "10, true",
    "3, false",
    "51, false",
    "52, false"
  })
  void aResultCodeAboutTheClientIsADifference(int code, boolean difference) {
    hit();
    askAgain();
    answer(code);
    if (difference) {
      assertThat(status().samples()).isEqualTo(1);
      assertThat(status().differences()).isEqualTo(1);
      assertThat(status().suspended()).as("it, and as whom that was read").isEqualTo(2);
      assertThat(status().demoted()).as("one answer alone proves nothing").isFalse();
    } else {
      assertSecondHasPendingVerification();
    }
  }

  /** What the verification reads, and from where, says nothing about the client's own answer. */
  @Test
  void aVerificationIsNoSourceOfTheReadBesideIt() {
    hit();
    two.open = false;
    askAgain();
    two.open = true;
    two.search();
    assertThat(upstream).hasSize(2);
    ReadSource source = new ReadSource("a server", Position.NONE, 0, 0);
    Operation verification =
        upstream.stream().filter(Operation::isDerived).findFirst().orElseThrow();
    Operation own = upstream.stream().filter(one -> one != verification).findFirst().orElseThrow();
    verification.addSource(source);
    verification.countSending();
    verification.onBypass("reason");
    assertThat(verification.sources()).containsExactly(source);
    assertThat(own.sources()).isEmpty();
    assertThat(own.sendings()).isZero();
    assertThat(own.outcome()).isNotEqualTo(CacheOutcome.BYPASS);
  }

  /** Its name may be the same: whether it is the same client nobody knows. */
  @ParameterizedTest
  @CsvSource({"false, cn=two", "true, cn=two", "false, cn=three", "true, cn=three"})
  void aClientThatRebindsIsNotAskedAsItsFormerIdentity(boolean asked, String name) {
    hit();
    if (asked) {
      askAgain();
      assertThat(upstream).hasSize(1);
    }
    two.bind(name + ",dc=x");
    if (asked) {
      answer(32); // it was on its way
    } else {
      askAgain();
      assertThat(upstream).isEmpty();
    }
    two.bind("cn=two,dc=x");
    assertSecondHasPendingVerification();
  }

  @Test
  void aClientThatLeftIsNotAsked() {
    hit();
    two.open = false;
    askAgain();
    assertThat(upstream).isEmpty();
    two.open = true;
    assertSecondHasPendingVerification();
  }

  /** It is the client that has come by that is asked for what another one has left behind. */
  @Test
  void aPendingVerificationIsSentAsAnotherClientOfTheIdentity() {
    hit();
    two.open = false;
    askAgain();
    Client again = new Client("cn=two,dc=x");
    again.search();
    assertThat(upstream).hasSize(2);
    assertThat(upstream.peek().session()).isSameAs(again.session);
    answer(0);
    assertThat(status().samples()).isEqualTo(1);
    assertThat(status().differences()).isZero();
  }

  private void lowerLimits() {
    limits = new DecodeLimits(1, limits.filterNodes(), limits.attributes(), limits.controls());
  }

  /** What it owes cannot be asked any more: its own request is answered all the same. */
  @Test
  void aPendingVerificationBeyondLoweredLimitsIsDropped() {
    hit(NESTED);
    two.open = false;
    askAgain();
    two.open = true;
    lowerLimits();
    two.search();
    assertThat(upstream).as("only its own request").hasSize(1);
    answer(0);
    one.search();
    answer(0);
    two.search();
    assertThat(one.answers + two.answers).as("both share again").isEqualTo(5);
  }

  @Test
  void anInvestigationBeyondLoweredLimitsEnds() {
    hit(NESTED);
    askAgain();
    answer(32);
    assertThat(status().suspended()).isEqualTo(2);
    lowerLimits();
    one.search();
    askAgain();
    assertThat(upstream).as("only its own request").hasSize(1);
    assertThat(status().suspended()).isZero();
    assertThat(status().demoted()).isFalse();
  }
}
