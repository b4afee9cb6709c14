// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Two servers take writes, and each tells how far it has got in what either has taken: what the one
 * that died took is read from whoever has it, whatever has been written at the other since.
 */
class TwoPrimariesIT {
  private static final String CONTEXT = "dc=example,dc=com";
  private static final String ONE = "uid=one," + CONTEXT;
  private static final String TWO = "uid=two," + CONTEXT;
  private static final int READS = 10;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream first;
  private ScriptedUpstream second;
  private ScriptedUpstream replica;
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    first = ScriptedUpstream.start();
    second = ScriptedUpstream.start();
    replica = ScriptedUpstream.start();
    List.of(first, second, replica).forEach(server -> setPosition(server, 0, 0));
    proxy =
        ProxySetup.before(first.port(), second.port(), replica.port())
            .cachesOff()
            .upstream(
                "servers", List.of(spec(first, true), spec(second, true), spec(replica, false)))
            .upstream("writeCoherence", Duration.ZERO)
            .upstream(
                "replication",
                new ReplicationConfig(
                    SessionScope.IDENTITY, Duration.ofSeconds(30), Duration.ofMillis(20)))
            .start();
    await("all tell", one -> !one.position().isEmpty(), 3);
  }

  @AfterEach
  void stop() {
    proxy.close();
    List.of(first, second, replica).forEach(ScriptedUpstream::close);
  }

  private static ServerSpec spec(ScriptedUpstream server, boolean primary) {
    return new ServerSpec(new ServerAddress("127.0.0.1", server.port()), primary, 1, 1);
  }

  /** How many of the changes of each primary it has from now on. */
  private static void setPosition(ScriptedUpstream server, int ofFirst, int ofSecond) {
    Entry suffix = new Entry(CONTEXT);
    suffix.addAttribute("contextCSN", csn(1, ofFirst), csn(2, ofSecond));
    server.when(
        request -> request.is(Received.SEARCH) && request.message().mentions("contextCSN"),
        Answers.entries(suffix));
  }

  private static String csn(int server, int count) {
    return String.format("202001010000%02d.000000Z#000000#%03d#000000", count, server);
  }

  private void await(String what, Predicate<PositionStatus> which, int count) {
    Await.until(
        what,
        () ->
            proxy.status().backends().stream()
                    .map(TwoPrimariesIT::positionStatus)
                    .filter(which)
                    .count()
                == count);
  }

  private record PositionStatus(String position, long uncovered) {}

  private static PositionStatus positionStatus(BackendStatus backend) {
    return new PositionStatus(backend.replica().position(), backend.replica().uncovered());
  }

  private void awaitPosition(int server, int count, int servers) {
    await("it is known", one -> one.position().contains(csn(server, count)), servers);
  }

  private long uncovered() {
    return proxy.status().backends().stream()
        .mapToLong(one -> positionStatus(one).uncovered())
        .sum();
  }

  /** Reads an entry often, and returns how often each has answered: first, second, replica. */
  private List<Integer> read(RawLdapClient client, String dn) {
    List<Integer> before = reads(dn);
    for (int i = 0; i < READS; i++) {
      assertThat(client.code(search(dn).baseScope().request())).isZero();
    }
    List<Integer> after = reads(dn);
    return List.of(
        after.get(0) - before.get(0), after.get(1) - before.get(1), after.get(2) - before.get(2));
  }

  private List<Integer> reads(String dn) {
    return List.of(first, second, replica).stream()
        .map(server -> server.received(request -> request.isSearchFor(dn)).size())
        .toList();
  }

  private static void write(RawLdapClient client, String dn) {
    assertThat(client.code(Requests.replace(dn, "sn", "new"))).isZero();
  }

  @Test
  void writesOfALostPrimaryAreReadFromServersThatHaveThem() {
    try (RawLdapClient client = proxy.client()) {
      write(client, ONE);
      setPosition(first, 1, 0); // who was asked before the write says nothing of it
      awaitPosition(1, 1, 1);
      assertThat(read(client, ONE)).containsExactly(READS, 0, 0);
      setPosition(replica, 1, 0);
      awaitPosition(1, 1, 2);
      first.goDown();
      assertThat(read(client, ONE)).containsExactly(0, 0, READS);
      assertThat(uncovered()).isZero();
      write(client, TWO);
      setPosition(second, 0, 1);
      awaitPosition(2, 1, 1);
      assertThat(read(client, TWO)).containsExactly(0, READS, 0);
      assertThat(read(client, ONE)).containsExactly(0, 0, READS);
      assertThat(uncovered()).isZero();
      replica.goDown();
      assertThat(read(client, ONE)).containsExactly(0, READS, 0);
      long uncovered = uncovered();
      assertThat(uncovered).isGreaterThanOrEqualTo(READS);
      setPosition(second, 1, 1);
      awaitPosition(1, 1, 3); // what those that are gone told last counts
      assertThat(read(client, ONE)).containsExactly(0, READS, 0);
      assertThat(uncovered()).isEqualTo(uncovered);
    }
  }

  /** It is back before it has what was written meanwhile, and takes writes again. */
  @Test
  void aReturnedPrimaryServesReadsUpToItsPosition() {
    try (RawLdapClient client = proxy.client()) {
      first.goDown();
      write(client, TWO);
      setPosition(second, 0, 1);
      awaitPosition(2, 1, 1);
      first.comeBack();
      proxy.awaitUp();
      write(client, ONE);
      setPosition(first, 1, 0);
      awaitPosition(1, 1, 1);
      assertThat(read(client, ONE)).containsExactly(READS, 0, 0);
      assertThat(read(client, TWO)).containsExactly(0, READS, 0);
      assertThat(uncovered()).isZero();
    }
  }
}
