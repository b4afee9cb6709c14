// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.upstream.server.Outliers.Ejections;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which of several servers is taken out of use, and for how long. */
class OutliersTest {
  private static final Duration BASE = Duration.ofSeconds(10);
  private static final int BUSY = 51;

  private long now = 1;
  private Duration base = BASE;
  private List<Backend> servers;
  private Outliers outliers;

  @BeforeEach
  void threeServers() {
    servers(3);
  }

  private void servers(int count) {
    servers =
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    new Backend(
                        new ServerAddress("h" + i, 389),
                        new BackendConfig(i == 0, false, 10, 10, 1, Duration.ZERO, 0)))
            .toList();
    outliers = new Outliers(servers, servers, () -> base, () -> now, new Ejections());
    servers.forEach(OutliersTest::up);
  }

  private static void up(Backend server) {
    server.health().beginProbe();
    server.health().onCheckPassed();
  }

  private void after(Duration time) {
    now += time.toNanos();
    outliers.check();
  }

  private void reads(Backend server, int count, Duration took) {
    for (int i = 0; i < count; i++) {
      server.outlierStats().onSuccess();
      server.outlierStats().onRead(took.toNanos(), now);
    }
  }

  private void busy(Backend server, int count) {
    for (int i = 0; i < count; i++) {
      server.outlierStats().onFailure(now);
    }
    outliers.check();
  }

  private List<BackendState> states() {
    return servers.stream().map(server -> server.health().state()).toList();
  }

  private static final BackendState UP = BackendState.UP;
  private static final BackendState SUSPECT = BackendState.SUSPECT;

  @Test
  void consecutiveBusyAnswersEject() {
    busy(servers.get(1), 4);
    assertThat(states()).containsExactly(UP, UP, UP);
    busy(servers.get(1), 1);
    assertThat(states()).containsExactly(UP, SUSPECT, UP);
    assertThat(servers.get(1).status().ejections()).isEqualTo(1);
    assertThat(servers.get(1).status().reason()).startsWith("5 consecutive operations");
  }

  @Test
  void noServerIsEjectedIfEjectionIsOff() {
    base = Duration.ZERO;
    busy(servers.get(1), 5);
    assertThat(states()).containsExactly(UP, UP, UP);
    base = BASE;
    busy(servers.get(1), 5);
    assertThat(states()).containsExactly(UP, SUSPECT, UP);
  }

  @Test
  void theFifthBusyAnswerEjectsAtOnce() {
    IntStream.range(0, 5).forEach(i -> servers.get(1).onResult(BUSY, true, 1, System.nanoTime()));
    assertThat(servers.get(1).isUp()).isFalse();
  }

  @Test
  void aHighShareOfBusyAnswersEjects() {
    for (int i = 0; i < 10; i++) {
      busy(servers.get(1), 4);
      reads(servers.get(1), 1, Duration.ofMillis(1));
    }
    outliers.check();
    assertThat(states()).containsExactly(UP, SUSPECT, UP);
  }

  @Test
  void aServerMuchSlowerThanItsPeersIsEjected() {
    reads(servers.get(0), 30, Duration.ofMillis(300));
    reads(servers.get(1), 30, Duration.ofMillis(4));
    reads(servers.get(2), 30, Duration.ofMillis(5));
    outliers.check();
    assertThat(states()).containsExactly(SUSPECT, UP, UP);
    assertThat(servers.get(0).status().reason())
        .isEqualTo("slow reads: median 300 ms, other servers 5 ms");
  }

  @Test
  void fewSlowReadsAndSmallDifferencesDoNotEject() {
    reads(servers.get(0), 19, Duration.ofSeconds(3));
    reads(servers.get(1), 50, Duration.ofMillis(1));
    reads(servers.get(2), 50, Duration.ofMillis(90));
    outliers.check();
    assertThat(states()).containsExactly(UP, UP, UP);
  }

  @Test
  void theLastOneThatIsUpIsNeverEjected() {
    servers(1);
    busy(servers.get(0), 100);
    assertThat(states()).containsExactly(UP);
    servers(2);
    servers.get(0).health().onDown(new IOException("gone"));
    busy(servers.get(1), 100);
    assertThat(states()).containsExactly(BackendState.DOWN, UP);
  }

  @Test
  void atMostHalfAreEjectedAndNoneIfAllAreOverloaded() {
    servers(5);
    servers.subList(0, 4).forEach(server -> busy(server, 10));
    assertThat(states()).containsExactly(SUSPECT, SUSPECT, UP, UP, UP);
    servers(3);
    for (Backend server : servers) {
      IntStream.range(0, 10).forEach(i -> server.outlierStats().onFailure(now));
    }
    outliers.check();
    assertThat(states()).containsExactly(UP, UP, UP);
  }

  /** Each tier has a watcher of its own. */
  @Test
  void theLastOneOfAllTiersIsNeverEjected() {
    servers(2);
    Ejections ejections = new Ejections();
    List<Outliers> tiers =
        servers.stream()
            .map(server -> new Outliers(List.of(server), servers, () -> base, () -> now, ejections))
            .toList();
    reads(servers.get(0), 1, Duration.ofMillis(1));
    busy(servers.get(1), 5);
    tiers.forEach(Outliers::check);
    busy(servers.get(0), 50);
    tiers.forEach(Outliers::check);
    assertThat(states()).containsExactly(UP, SUSPECT);
    assertThat(servers.get(1).status().ejections()).isEqualTo(1);
  }

  /** A probe's answer alone does not bring it back before its time. */
  @Test
  void ejectionTimesGrowAndDecay() {
    Backend server = servers.get(1);
    server.health().onCheckRequested(() -> server.health().onCheckPassed());
    busy(server, 5);
    server.health().onCheckPassed();
    assertThat(server.isUp()).isFalse();
    after(BASE);
    assertThat(server.isUp()).isTrue();
    busy(server, 5);
    after(BASE);
    assertThat(server.isUp()).isFalse();
    after(BASE);
    assertThat(server.isUp()).isTrue();
    after(BASE.multipliedBy(2));
    after(BASE);
    busy(server, 5);
    after(BASE);
    assertThat(server.isUp()).isTrue();
  }

  /** What was learnt an hour ago says nothing of today, and silence is no sign of anything. */
  @Test
  void noServerIsEjectedAfterAnIdleHour() {
    reads(servers.get(0), 40, Duration.ofSeconds(1));
    reads(servers.get(1), 40, Duration.ofMillis(1));
    reads(servers.get(2), 40, Duration.ofMillis(1));
    IntStream.range(0, 4).forEach(i -> servers.get(2).outlierStats().onFailure(now));
    now += Duration.ofSeconds(11).toNanos();
    for (int second = 0; second < 3600; second++) {
      after(Duration.ofSeconds(1));
    }
    servers.get(0).outlierStats().onSuccess(); // one write, answered at last
    busy(servers.get(2), 1);
    after(Duration.ofSeconds(1));
    assertThat(states()).containsExactly(UP, UP, UP);
    assertThat(servers).allMatch(server -> server.status().ejections() == 0);
  }
}
