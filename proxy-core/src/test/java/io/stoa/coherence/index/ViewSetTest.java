// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import static io.stoa.testing.SmallDirectory.query;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A set of views has exactly those that were added, for readers at any time. */
class ViewSetTest {
  private static final int STAYING = 100;

  private final Random random = new Random(Soak.seed());
  private final ViewSet set = new ViewSet();
  private int last;

  private IndexKeys view() {
    IndexKeys.Names names = new IndexKeys.Names(last++, List.of(), List.of());
    return new IndexKeys(this, query("dc=x", 2, "(cn=a)"), List.of(), List.of(), names);
  }

  private static Set<IndexKeys> found(ViewSet set) {
    Set<IndexKeys> found = Collections.newSetFromMap(new IdentityHashMap<>());
    set.forEach(found::add);
    return found;
  }

  @Test
  void hasTheViewsThatWereAddedAndNotRemoved() {
    List<IndexKeys> expected = new ArrayList<>();
    for (int round = 0; round < 3_000; round++) {
      boolean grows = round / 500 % 2 == 0;
      if (expected.isEmpty() || random.nextInt(10) < (grows ? 8 : 2)) {
        IndexKeys view = view();
        set.add(view);
        set.add(view);
        expected.add(view);
      } else {
        IndexKeys gone = expected.remove(random.nextInt(expected.size()));
        set.remove(gone);
        set.remove(gone);
      }
      assertThat(set.size()).isEqualTo(expected.size());
      List<IndexKeys> each = new ArrayList<>();
      set.forEach(each::add);
      assertThat(each).hasSameSizeAs(expected);
      if (round % 50 == 0) {
        assertThat(found(set)).containsExactlyInAnyOrderElementsOf(expected);
      }
    }
    expected.forEach(set::remove);
    assertThat(set.isEmpty()).isTrue();
    assertThat(found(set)).isEmpty();
  }

  @Test
  void aReaderFindsEachViewThatStaysWhileOthersComeAndGo() {
    List<IndexKeys> staying = new ArrayList<>();
    List<IndexKeys> others = new ArrayList<>();
    AtomicBoolean over = new AtomicBoolean();
    for (int i = 0; i < STAYING; i++) {
      staying.add(view());
      others.add(view());
      set.add(staying.get(i));
    }
    CompletableFuture<Void> writer =
        CompletableFuture.runAsync(
            () -> {
              while (!over.get()) {
                for (int i = 0; i < 10; i++) {
                  others.forEach(set::add);
                  others.add(view());
                }
                others.forEach(set::remove);
                others.subList(STAYING, others.size()).clear();
              }
            });
    for (int round = 0; round < 2_000 && !writer.isDone(); round++) {
      assertThat(found(set)).containsAll(staying);
    }
    over.set(true);
    writer.join();
    assertThat(found(set)).containsExactlyInAnyOrderElementsOf(staying);
  }
}
