// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.view.Members.Member;
import io.stoa.testing.Memory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Bounds the live heap of a view with its query, its members and its keys in the index.
 *
 * <p>The bound is the measured number and 10 %. Each view is of another entry and another value of
 * one filter, as the results of one application are.
 */
class ViewMemoryTest {
  private static final String PEOPLE = "ou=people,dc=example,dc=com";
  private static final int VIEWS = 20_000;

  /** Maximum octets of a view of one entry: 448 measured, and 10 %. */
  private static final long MAX_OCTETS = 493;

  private final PredicateIndex<View> index = new PredicateIndex<>();
  private final EpochState epoch = new EpochState(new FreshnessGuarantee(now -> true, null, null));
  private final List<View> views = new ArrayList<>(2 * VIEWS);

  @Test
  void aViewOfOneEntryTakesFewOctets() {
    register();
    long before = Memory.heapInUse();
    register();
    long octets = (Memory.heapInUse() - before) / VIEWS;
    assertThat(octets).isBetween(MAX_OCTETS / 2, MAX_OCTETS);
    assertThat(views).noneMatch(View::isInvalid);
  }

  private void register() {
    for (int i = 0; i < VIEWS; i++) {
      int number = 100_000 + views.size();
      Members members = Members.of(List.of(new Member(uuid(number), csn(number))));
      View view =
          new View(
              query(PEOPLE, 2, "(uid=user." + number + ")"),
              members,
              epoch,
              index,
              (same, cause) -> {});
      view.register(List.of(dn("uid=user." + number + "," + PEOPLE)));
      views.add(view);
    }
  }
}
