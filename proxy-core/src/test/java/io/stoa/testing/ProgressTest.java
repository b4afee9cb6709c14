// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A long form goes on where it was stopped. */
class ProgressTest {
  @TempDir private Path directory;

  private Progress begin() {
    return Progress.of(directory.resolve("some.progress"), true);
  }

  @Test
  void savedCountsContinueInTheNextRun() {
    Progress first = begin();
    first.add("reads", 7);
    first.keep();
    first.add("reads", 1_000);
    Progress second = begin();
    assertThat(second.count("reads")).isEqualTo(7);
    assertThat(second.count("runs")).isEqualTo(2);
    assertThat(second.seed()).isEqualTo(first.seed());
  }

  @Test
  void anEndedRunStartsFromZero() {
    Progress first = begin();
    first.add("reads", 7);
    first.keep();
    first.end();
    assertThat(begin().count("reads")).isZero();
  }

  @Test
  void theShortFormKeepsNothing() {
    Path file = directory.resolve("some.progress");
    Progress first = Progress.of(file, false);
    first.add("reads", 7);
    first.keep();
    assertThat(file).doesNotExist();
  }
}
