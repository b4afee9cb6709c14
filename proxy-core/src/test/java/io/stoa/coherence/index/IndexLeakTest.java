// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is taken out leaves nothing behind. */
class IndexLeakTest {
  private final Random random = new Random(Soak.seed());
  private final SampleWorld world = new SampleWorld(random);
  private final PredicateIndex<SampleView> index = new PredicateIndex<>();

  @Test
  void unregisteredViewsLeaveNothing() {
    List<SampleView> views = new ArrayList<>();
    for (int round = 0; round < Soak.scale(20_000, 1_000_000); round++) {
      if (views.isEmpty() || random.nextInt(100) < 51) {
        views.add(register());
      } else {
        unregister(views.remove(random.nextInt(views.size())));
      }
      if (round % 5_000 == 0) {
        views.forEach(this::unregister);
        views.clear();
        PredicateIndexTest.assertEmpty(index);
      }
    }
    assertThat(index.stats().views()).isEqualTo(views.size());
    views.forEach(this::unregister);
    PredicateIndexTest.assertEmpty(index);
  }

  private SampleView register() {
    SampleView view = SampleView.of(world.query(), world);
    view.register(index, world);
    return view;
  }

  private void unregister(SampleView view) {
    index.unregister(view, view.anchors());
  }

  @Test
  void keysOfAnotherViewAreRefused() {
    SampleView one = register();
    SampleView other = register();
    assertThatThrownBy(() -> index.unregister(one, other.anchors()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
