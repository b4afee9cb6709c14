// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.testing.MemoryServers;
import io.stoa.testing.Records;
import io.stoa.testing.Responses;
import io.stoa.testing.UpstreamBench;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.connection.ProbeConfig.Mismatch;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendState;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The state of one server, as its health checks find it. */
class HealthProbeTest {
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration LATE = Duration.ofMillis(250);
  private static final Duration OVERDUE = Duration.ofSeconds(5);
  private static final Duration MAX_WAIT = Duration.ofSeconds(20);
  private static final int STEPS = 100;

  private UpstreamBench bench;
  private Backend backend;
  private Probes probes;

  HealthProbeTest() throws IOException {
    start(UpstreamBench.defaults(1));
  }

  private void start(UpstreamConfig config) throws IOException {
    bench = UpstreamBench.unchecked(config);
    backend = bench.backend(1);
    probes = new Probes(() -> config, new RequestDecoder(() -> DecodeLimits.DEFAULTS));
    probes.add(backend, bench.services(), new Peers(() -> List.of(backend), () -> Mismatch.WARN));
  }

  private void expect(String base, String filter, String value) throws IOException {
    ProbeConfig probe = new ProbeConfig("", "", base, filter, value, INTERVAL);
    start(Records.with(UpstreamBench.defaults(1), "probe", probe));
  }

  @AfterEach
  void stop() {
    probes.stop();
    bench.close();
  }

  private MemoryServers.Server server() {
    return bench.server(1);
  }

  private BackendState state() {
    bench.loop().run();
    return backend.health().state();
  }

  private void begin() {
    probes.start();
    bench.loop().run();
  }

  private void up() {
    begin();
    server().answer(0);
    assertThat(state()).isEqualTo(BackendState.UP);
  }

  @Test
  void aServerIsDownBeforeItsFirstAnswer() {
    begin();
    assertThat(server().requests()).hasSize(1);
    assertThat(backend.isUp()).isFalse();
    assertThat(backend.health().isChecked()).isFalse();
  }

  @Test
  void aServerThatAnswersIsUp() {
    up();
    assertThat(backend.health().isChecked()).isTrue();
  }

  @Test
  void anErrorIsAHealthyAnswer() {
    begin();
    server().answer(32);
    assertThat(state()).isEqualTo(BackendState.UP);
  }

  @Test
  void aServerThatRefusesConnectionsIsDown() {
    server().refuse();
    begin();
    assertThat(state()).isEqualTo(BackendState.DOWN);
    assertThat(backend.health().isChecked()).isTrue();
  }

  @Test
  void aServerThatIsDownIsUpAfterItAcceptsConnections() {
    server().refuse();
    begin();
    server().accept();
    for (int i = 0; i < STEPS && server().requests().isEmpty(); i++) {
      bench.loop().pass(MAX_WAIT.dividedBy(STEPS));
    }
    server().answer(0);
    assertThat(state()).isEqualTo(BackendState.UP);
  }

  @Test
  void aServerIsCheckedAtEachInterval() {
    up();
    bench.loop().pass(INTERVAL);
    assertThat(server().requests()).hasSize(1);
    assertThat(server().connected()).isOne();
  }

  @Test
  void aLateAnswerMakesTheServerSuspect() {
    up();
    bench.loop().pass(INTERVAL);
    bench.loop().pass(LATE.minusMillis(1));
    assertThat(state()).isEqualTo(BackendState.UP);
    bench.loop().pass(Duration.ofMillis(1));
    assertThat(state()).isEqualTo(BackendState.SUSPECT);
  }

  @Test
  void aSuspectServerIsUpAfterAPromptAnswer() {
    aLateAnswerMakesTheServerSuspect();
    server().answer(0);
    assertThat(state()).isEqualTo(BackendState.SUSPECT);
    bench.loop().pass(LATE);
    server().answer(0);
    assertThat(state()).isEqualTo(BackendState.UP);
  }

  @Test
  void aSilentServerIsDownAfterTheConnectTimeOut() {
    up();
    bench.loop().pass(INTERVAL);
    bench.loop().pass(OVERDUE);
    assertThat(backend.health().isDown()).isTrue();
  }

  @Test
  void aCheckWhoseConnectionIsClosedIsRepeatedOnANewOne() {
    up();
    bench.loop().pass(INTERVAL);
    server().close(1);
    assertThat(state()).isEqualTo(BackendState.UP);
    assertThat(server().requests())
        .extracting(MemoryServers.Request::connection)
        .containsExactly(2);
  }

  @Test
  void aServerThatClosesANewConnectionWithoutAnAnswerIsDown() {
    begin();
    server().close(1);
    assertThat(state()).isEqualTo(BackendState.DOWN);
  }

  @Test
  void aBusyServerStaysUp() {
    up();
    bench.loop().pass(INTERVAL);
    server().answer(51);
    assertThat(state()).isEqualTo(BackendState.UP);
  }

  @Test
  void aServerInDoubtIsCheckedAtOnce() {
    up();
    backend.health().requestCheck();
    assertThat(server().requests()).hasSize(1);
  }

  @Test
  void aServerWithoutTheExpectedEntryIsDown() throws IOException {
    stop();
    expect("cn=ready,dc=x", "", "");
    begin();
    server().answer(0);
    server().answer(32);
    assertThat(state()).isEqualTo(BackendState.DOWN);
    assertThat(backend.status().reason()).contains("cn=ready,dc=x");
  }

  @Test
  void aServerWithTheExpectedValueIsUp() throws IOException {
    stop();
    expect("cn=ready,dc=x", "", "description=Yes");
    begin();
    server().answer(0);
    Entry entry = new Entry("cn=ready,dc=x");
    entry.addAttribute("Description", "yes");
    server().part(Responses.entry(entry));
    server().answer(0);
    assertThat(state()).isEqualTo(BackendState.UP);
  }

  @Test
  void aServerWithAnotherValueIsDown() throws IOException {
    stop();
    expect("cn=ready,dc=x", "", "description=yes");
    begin();
    server().answer(0);
    Entry entry = new Entry("cn=ready,dc=x");
    entry.addAttribute("description", "no");
    server().part(Responses.entry(entry));
    server().answer(0);
    assertThat(state()).isEqualTo(BackendState.DOWN);
  }

  @Test
  void aRemovedServerIsNotCheckedAtIntervals() {
    up();
    probes.remove(backend);
    bench.loop().pass(INTERVAL.multipliedBy(2));
    assertThat(server().open()).isZero();
    assertThat(server().requests()).isEmpty();
  }
}
