// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.view.Members.Member;
import io.stoa.ldap.filter.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class ViewTest {
  private static final Query MILLERS = query("ou=p,dc=x", 2, "(sn=miller)");
  private static final int RACES = 300;

  private final PredicateIndex<View> index = new PredicateIndex<>();
  private final EpochState terms =
      new EpochState(new FreshnessGuarantee(now -> now < 100, null, null));
  private final List<InvalidationCause> causes = new ArrayList<>();

  private View view() {
    Members members = Members.of(List.of(new Member(uuid(1), csn(3))));
    return new View(MILLERS, members, terms, index, (view, cause) -> causes.add(cause));
  }

  private View registered() {
    View view = view();
    view.register(List.of(dn("cn=a,ou=p,dc=x")));
    return view;
  }

  @Test
  void isLiveOnlyIfItIsValidAndTheLeaseHolds() {
    View view = registered();
    assertThat(view.isLive(0)).isFalse();
    assertThat(view.markUnseen()).isTrue();
    assertThat(view.isLive(0)).isFalse();
    assertThat(view.markValid()).isTrue();
    assertThat(view.isLive(99)).isTrue();
    assertThat(view.isLive(100)).isFalse();
    assertThat(view.invalidate(InvalidationCause.CHANGE)).isTrue();
    assertThat(view.isLive(0)).isFalse();
    assertThat(view.isInvalid()).isTrue();
  }

  @Test
  void aViewInvalidatedWhilePendingIsNeverKept() {
    View view = registered();
    view.invalidate(InvalidationCause.CHANGE);
    assertThat(view.markUnseen()).isFalse();
    assertThat(view.markValid()).isFalse();
    assertThat(view.state()).isEqualTo(ViewState.INVALID);
  }

  @Test
  void theListenerIsNotifiedOnceAndNotOfItsOwnEviction() {
    View view = registered();
    view.invalidate(InvalidationCause.CHANGE);
    view.invalidate(InvalidationCause.RENAME);
    view.onEvicted();
    assertThat(causes).containsExactly(InvalidationCause.CHANGE);
    View other = registered();
    other.onEvicted();
    other.invalidate(InvalidationCause.CHANGE);
    assertThat(causes).hasSize(1);
    assertThat(terms.invalidations(InvalidationCause.CHANGE)).isEqualTo(1);
  }

  @Test
  void leavesNothingInTheIndex() {
    View killed = registered();
    View evicted = registered();
    assertThat(index.stats().views()).isEqualTo(2);
    killed.invalidate(InvalidationCause.CHANGE);
    evicted.onEvicted();
    killed.onEvicted();
    assertIndexIsEmpty();
  }

  @Test
  void leavesNothingInTheIndexIfItDiesBeforeRegistration() {
    View view = view();
    view.invalidate(InvalidationCause.CHANGE);
    view.register(List.of(dn("cn=a,ou=p,dc=x")));
    assertIndexIsEmpty();
  }

  @Test
  void leavesNothingInTheIndexInAnyOrder() throws Exception {
    for (int race = 0; race < RACES; race++) {
      View view = view();
      CyclicBarrier start = new CyclicBarrier(3);
      List<FutureTask<Void>> tasks =
          List.of(
              task(start, () -> view.register(List.of(dn("cn=a,ou=p,dc=x")))),
              task(start, () -> view.invalidate(InvalidationCause.CHANGE)),
              task(start, view::onEvicted));
      tasks.forEach(task -> new Thread(task).start());
      for (FutureTask<Void> task : tasks) {
        task.get();
      }
    }
    assertIndexIsEmpty();
  }

  private static FutureTask<Void> task(CyclicBarrier start, Runnable run) {
    Callable<Void> body =
        () -> {
          start.await();
          run.run();
          return null;
        };
    return new FutureTask<>(body);
  }

  private void assertIndexIsEmpty() {
    assertThat(index.stats())
        .satisfies(
            stats -> {
              assertThat(stats.views()).isZero();
              assertThat(stats.keys()).isZero();
              assertThat(stats.uuids()).isZero();
              assertThat(stats.places()).isZero();
            });
  }

  @Test
  void allViewsAreInvalidAtTheEndOfTheEpoch() {
    View view = registered();
    view.markUnseen();
    view.markValid();
    terms.end();
    assertThat(view.isLive(0)).isFalse();
    assertThat(view.isInvalid()).isTrue();
    assertThat(causes).isEmpty();
  }
}
