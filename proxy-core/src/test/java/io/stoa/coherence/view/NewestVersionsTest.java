// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.view.Members.Member;
import io.stoa.ldap.filter.Query;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody is shown an older state of an entry after a newer one, however many show it. */
class NewestVersionsTest {
  private static final String GROUP = "cn=g,ou=p,dc=x";
  private static final Query ITSELF = query(GROUP, 0, "(objectClass=*)");
  private static final int MANY = 100;

  private final PredicateIndex<View> index = new PredicateIndex<>();
  private final EpochState terms =
      new EpochState(new FreshnessGuarantee(now -> true, then -> true, null));
  private final Invalidator effects = new Invalidator(index, truth -> {});

  /** Has whatever it keeps changed in place. Stateless. */
  private static final class Keeper implements ViewListener {
    @Override
    public void onInvalidated(View view, InvalidationCause cause) {
      // The view says so itself.
    }

    @Override
    public boolean mayUpdateInPlace() {
      return true;
    }

    @Override
    public boolean onUpdated(View view, EntryUpdate amendment) {
      return true;
    }
  }

  /** One that shows the group; it is compared with the others. */
  private View showing(int state) {
    Members members = Members.of(List.of(new Member(uuid(1), csn(state), dn(GROUP))));
    View view = new View(ITSELF, members, terms, index, new Keeper());
    view.register(List.of(dn(GROUP)));
    MemoryFences.fullFence();
    view.markUnseen();
    view.supersedes();
    view.markValid();
    return view;
  }

  private List<View> showing(int count, int state) {
    List<View> views = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      views.add(showing(state));
    }
    return views;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, MANY})
  void aViewOfAnOlderStateIsInvalidated(int count) {
    List<View> older = showing(count, 1);
    assertThat(older).noneMatch(View::isInvalid);
    List<View> newer = showing(count, 2);
    assertThat(older).allMatch(View::isInvalid);
    assertThat(newer).noneMatch(View::isInvalid);
    assertThat(showing(1).isInvalid()).isTrue();
    assertThat(newer).noneMatch(View::isInvalid);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, MANY})
  void aFeedChangeOlderThanALaterReadIsIgnored(int count) {
    List<View> first = showing(count, 1);
    effects.apply(modified(1, person(GROUP, "a"), 2), null);
    assertThat(first).noneMatch(View::isInvalid);
    assertThat(first).allMatch(view -> csn(2).equals(view.members().csn(uuid(1))));
    showing(count, 4);
    assertThat(first).allMatch(View::isInvalid);
    List<View> newest = showing(count, 4);
    effects.apply(modified(1, person(GROUP, "b"), 3), null);
    assertThat(newest).noneMatch(View::isInvalid);
    assertThat(showing(3).isInvalid()).isTrue();
  }

  /** What is over is over: once so few show it that they are looked at, nothing else counts. */
  @Test
  void evictedVersionsDoNotCount() {
    showing(MANY, 9).forEach(View::onEvicted);
    assertThat(showing(MANY, 1)).noneMatch(View::isInvalid);
  }

  @Test
  void versionsShownByFewViewsAreNotKept() {
    List<View> evicted = showing(MANY, 1);
    assertThat(terms.newest().count()).isEqualTo(1);
    evicted.forEach(View::onEvicted);
    assertThat(terms.newest().count()).isZero();
    List<View> lost = showing(MANY, 1);
    effects.apply(deleted(1, GROUP, 2), null);
    lost.forEach(View::onEvicted);
    assertThat(terms.newest().count()).isZero();
    List<View> joined = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      joined.add(empty());
    }
    effects.apply(modified(1, person(GROUP, "a"), 3), null);
    assertThat(joined).noneMatch(View::isInvalid);
    assertThat(terms.newest().count()).isEqualTo(1);
    effects.apply(modified(1, person("cn=g,ou=q,dc=x", "a"), 4), null);
    assertThat(joined).allMatch(view -> view.isInvalid() || view.members().size() == 0);
    assertThat(terms.newest().count()).isZero();
    joined.forEach(View::onEvicted);
    assertThat(index.stats().uuids()).isZero();
  }

  /** One that finds nothing yet. */
  private View empty() {
    Query below = query("ou=p,dc=x", 2, "(sn=a)");
    View view = new View(below, Members.of(List.of()), terms, index, new Keeper());
    view.register(List.of());
    view.markUnseen();
    view.markValid();
    return view;
  }

  /** Each of ten times as many costs about as much as before, and not ten times as much. */
  @Test
  void versionsShownByManyViewsCostConstantTime() {
    nanos(1_500);
    long few = nanos(1_500);
    long many = nanos(15_000);
    assertThat(many).isLessThan(30 * few);
  }

  /** Reads and changes an entry that so many show, and how much time of the processor it takes. */
  private long nanos(int count) {
    long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    List<View> views = showing(count, 1);
    effects.apply(modified(1, person(GROUP, "a"), 2), null);
    views.forEach(View::onEvicted);
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before;
  }
}
