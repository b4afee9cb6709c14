// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Samples;
import io.stoa.testing.Soak;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Whatever changes, every view whose answer may differ is found: the index against all views, one
 * after the other.
 */
class PredicateIndexTest {
  private static final int VIEWS = 300;

  private final SampleWorld world = new SampleWorld(new Random(Soak.seed()));
  private final PredicateIndex<SampleView> index = new PredicateIndex<>();
  private final Set<SampleView> views = Collections.newSetFromMap(new IdentityHashMap<>());

  @Test
  void everyViewThatMayDifferIsFound() {
    for (int count = 0; count < VIEWS; count++) {
      views.add(register(world.query()));
    }
    long foundViews = 0;
    int changes = Soak.scale(1_500, 200_000);
    for (int change = 0; change < changes; change++) {
      SampleWorld.Step step = world.change();
      Set<SampleView> found = found(step.touched());
      for (SampleView view : views) {
        if (!found.contains(view) && mayDiffer(view, step)) {
          fail("%s does not find %s", step, view.text());
        }
      }
      foundViews += found.size();
      found.forEach(this::refill);
    }
    assertThat(foundViews).as("views found").isLessThan((long) changes * VIEWS / 2);
    views.forEach(view -> index.unregister(view, view.anchors()));
    assertEmpty(index);
  }

  static void assertEmpty(PredicateIndex<?> index) {
    IndexStats stats = index.stats();
    assertThat(List.of(stats.views(), stats.keys(), stats.uuids(), stats.places()))
        .containsOnly(0L);
  }

  private SampleView register(SampleWorld.SampleQuery asked) {
    SampleView view = SampleView.of(asked, world);
    view.register(index, world);
    return view;
  }

  private void refill(SampleView view) {
    index.unregister(view, view.anchors());
    views.remove(view);
    views.add(register(new SampleWorld.SampleQuery(view.query(), view.text())));
  }

  private Set<SampleView> found(EntryChange touched) {
    Set<SampleView> found = Collections.newSetFromMap(new IdentityHashMap<>());
    index.findAffected(touched, found::add);
    return found;
  }

  /** What held the entry, what may hold it now, and what answers that there is no such base. */
  private static boolean mayDiffer(SampleView view, SampleWorld.Step step) {
    Query query = view.query();
    Image now = step.now();
    boolean matches = now != null && query.matches(now).mayBeTrue();
    boolean held = view.members().contains(step.uuid());
    boolean denied = now != null && view.denies(now.dn());
    return matches || held || denied || (step.moved() && isBaseGoneOrNew(query, step));
  }

  private static boolean isBaseGoneOrNew(Query query, SampleWorld.Step step) {
    return isAtOrBelow(query.base(), step.was()) || isAtOrBelow(query.base(), step.now());
  }

  private static boolean isAtOrBelow(NormalDn base, Image entry) {
    return entry != null && base.isBelowOrEqual(entry.dn());
  }

  @Test
  void everyViewAtOrBelowASubtreeIsFound() {
    for (int count = 0; count < VIEWS; count++) {
      views.add(register(world.query()));
    }
    for (Image entry : world.images()) {
      Set<SampleView> found = Collections.newSetFromMap(new IdentityHashMap<>());
      Consumer<SampleView> add = found::add;
      index.findAtOrBelow(entry.dn(), add);
      for (SampleView view : views) {
        boolean meets = view.query().inScope(entry.dn()).mayBeTrue();
        boolean below = isAtOrBelow(view.query().base(), entry);
        boolean holds =
            view.members().stream().anyMatch(uuid -> isAtOrBelow(world.dn(uuid), entry));
        assertThat(found.contains(view) || !(meets || below || holds)).as(view.text()).isTrue();
      }
    }
    Set<SampleView> all = Collections.newSetFromMap(new IdentityHashMap<>());
    index.findAll(all::add);
    assertThat(all).isEqualTo(views);
  }

  @Test
  void anEntryIsFoundByItsNameAlone() {
    SampleView view = register(world.query("dc=example,dc=com", 2, "(objectClass=person)"));
    assertThat(view.members()).isNotEmpty();
    for (Uuid member : view.members()) {
      assertThat(found(new EntryChange(null, null, world.dn(member), null))).contains(view);
    }
    assertThat(Samples.SLAPD.isKnown()).isTrue();
  }
}
