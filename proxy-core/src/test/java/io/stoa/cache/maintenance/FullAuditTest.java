// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.cache.maintenance.Auditor.Finding;
import io.stoa.cache.maintenance.MaintenanceStatus.FullAuditState;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.ldap.protocol.Octets;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How everything is compared, and how fast. */
class FullAuditTest {
  private static final int RESULTS = 40;
  private static final int PER_SECOND = 10;
  private static final CachedResultRef KEPT =
      new CachedResultRef(Octets.EMPTY, Octets.EMPTY, null, null);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final EventExecutor own = channel.eventLoop();
  private final Deque<Consumer<Finding>> pending = new ArrayDeque<>();
  private long now;
  private int max;

  private final Budget budget = new Budget(FullAudit.MAX_AT_ONCE, () -> PER_SECOND, () -> now);
  private final FullAudit fullAudit =
      new FullAudit(
          own,
          (kept, found) -> {
            pending.add(found);
            max = Math.max(max, pending.size());
          },
          Collections.nCopies(RESULTS, KEPT).iterator(),
          budget,
          1);

  @AfterEach
  void close() {
    channel.close();
  }

  private int answerAll(Finding finding) {
    int answered = 0;
    while (!pending.isEmpty()) {
      pending.poll().accept(finding);
      answered++;
      channel.runPendingTasks();
    }
    return answered;
  }

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void comparisonsPerSecondAreLimited() {
    channel.freezeTime();
    fullAudit.begin();
    assertThat(answerAll(Finding.VERIFIED)).isEqualTo(PER_SECOND);
    for (int second = 0; second < 3; second++) {
      assertThat(fullAudit.isOver()).isFalse();
      int answered = 0;
      for (int tenth = 0; tenth < 10; tenth++) {
        pass(100);
        answered += answerAll(Finding.VERIFIED);
      }
      assertThat(answered).isEqualTo(PER_SECOND);
    }
    assertThat(fullAudit.isOver()).isTrue();
    assertThat(fullAudit.status())
        .isEqualTo(
            new MaintenanceStatus.FullAuditStatus(
                FullAuditState.DONE, 1, RESULTS, RESULTS, 0, 0, 0));
  }

  @Test
  void resultsWithoutAClientTakeNoTime() {
    fullAudit.begin();
    assertThat(answerAll(Finding.NO_CLIENT)).isEqualTo(RESULTS);
    assertThat(fullAudit.isOver()).isTrue();
    assertThat(fullAudit.status())
        .isEqualTo(
            new MaintenanceStatus.FullAuditStatus(
                FullAuditState.DONE, 1, RESULTS, 0, 0, RESULTS, RESULTS));
  }

  @Test
  void unverifiableResultsDifferFromResultsWithoutAClient() {
    fullAudit.begin();
    pending.remove().accept(Finding.NO_CLIENT);
    pending.remove().accept(Finding.UNVERIFIABLE);
    pending.remove().accept(Finding.DIFFERING);
    pending.remove().accept(Finding.VERIFIED);
    channel.runPendingTasks();
    MaintenanceStatus.FullAuditStatus now = fullAudit.status();
    assertThat(List.of(now.verified(), now.differing(), now.unverifiable(), now.withoutClient()))
        .containsExactly(1L, 1L, 2L, 1L);
  }

  @Test
  void comparisonsInFlightAreLimited() {
    channel.freezeTime();
    fullAudit.begin();
    pass(60_000);
    assertThat(pending).hasSize(FullAudit.MAX_AT_ONCE);
    assertThat(max).isEqualTo(FullAudit.MAX_AT_ONCE);
  }
}
