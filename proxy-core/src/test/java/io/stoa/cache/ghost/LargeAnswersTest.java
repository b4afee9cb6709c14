// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.ghost.LargeAnswers.Sizes;
import org.junit.jupiter.api.Test;

/** Large answers are counted by size, and those that a larger limit would have served. */
class LargeAnswersTest {
  private static final long MAX_AGE = 1000;

  private final LargeAnswers answers = new LargeAnswers();

  private static GhostLookup lookup(int hash, long epoch, long now) {
    return new GhostLookup(hash, epoch, now - MAX_AGE, now, true);
  }

  @Test
  void youngAnswersOfTheSameEpochAreRepeated() {
    answers.add(lookup(1, 0, 0), false, 300, 5000);
    answers.add(lookup(1, 0, 900), false, 300, 5000);
    answers.add(lookup(1, 0, 2500), false, 300, 5000); // too old
    answers.add(lookup(1, 1, 2600), false, 300, 6000); // after a write
    answers.add(lookup(2, 1, 2600), false, 300, 5000); // another search
    assertThat(answers.sizes()).containsExactly(new Sizes(512, 5, 1, 5000));
  }

  @Test
  void answersThatAFeedWouldHoldAreRepeatedAtAnyAge() {
    answers.add(lookup(1, 0, 0), true, 2, 5000);
    answers.add(lookup(1, 4, 5000), true, 2, 5000);
    assertThat(answers.sizes()).containsExactly(new Sizes(2, 2, 1, 5000));
  }

  @Test
  void sizesAreInTheirOrder() {
    answers.add(lookup(1, 0, 0), true, 1, 10);
    answers.add(lookup(2, 0, 0), true, Integer.MAX_VALUE, 20);
    answers.add(lookup(3, 0, 0), true, 128, 30);
    answers.add(lookup(4, 0, 0), true, 0, 40);
    assertThat(answers.sizes()).extracting(Sizes::entries).containsExactly(1L, 128L, 1L << 31);
    answers.reset();
    assertThat(answers.sizes()).isEmpty();
  }
}
