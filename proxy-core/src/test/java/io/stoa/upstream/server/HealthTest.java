// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an administrator does to a server while others find out how it is. */
class HealthTest {
  private final Health health = new Health(new ServerAddress("h", 389));
  private final List<BackendState> states = new ArrayList<>();

  @BeforeEach
  void up() {
    health.beginProbe();
    health.onCheckPassed();
    health.onState(states::add);
  }

  /** The server is found to be down, and before that is noted it is drained. */
  @Test
  void aDrainedServerThatGoesDownStaysDrained() {
    health.onDown(
        new IOException() {
          @Override
          public String getMessage() {
            health.drain();
            return "gone";
          }
        });
    assertThat(health.state()).isEqualTo(BackendState.DRAINED);
    assertThat(health.underlyingState()).isEqualTo(BackendState.DOWN);
    assertThat(states).containsExactly(BackendState.DRAINED, BackendState.DOWN);
  }

  /** One that goes on to refuse connections, and serves others, is lost once. */
  @Test
  void aFailedConnectMarksTheServerLost() {
    long before = System.nanoTime();
    assertThat(health.wasLostSince(before)).isFalse();
    health.onConnectFailed();
    assertThat(health.isUsable()).isTrue();
    assertThat(health.wasLostSince(before)).isTrue();
    long then = System.nanoTime();
    health.onConnectFailed();
    assertThat(health.wasLostSince(then)).isFalse();
    health.onDown(new IOException("gone"));
    assertThat(health.wasLostSince(then)).isTrue();
  }

  @Test
  void onlyTheAdministratorResumesADrainedServer() {
    health.drain();
    health.onDown(new IOException("gone"));
    health.onCheckPassed();
    health.onCheckLate("late");
    assertThat(health.isDrained()).isTrue();
    assertThat(health.beginProbe()).isFalse();
    assertThat(health.resume()).isTrue();
    assertThat(health.resume()).isFalse();
    assertThat(health.state()).isEqualTo(BackendState.DOWN);
    assertThat(states.get(states.size() - 1)).isEqualTo(BackendState.DOWN);
  }
}
