// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.fuzz.Stoas.Kind;
import java.util.List;
import java.util.stream.Stream;

/** The kinds of directories that are fuzzed. Stateless. */
final class SetUps {
  private static final List<Kind> ALL = List.of(Kind.values());

  private SetUps() {}

  static Stream<SetUp> all() {
    return Stream.of(
        new SlapdSetUp("overlays", Overlays.plain(), ALL),
        new SlapdSetUp("computing", Overlays.computing(), ALL));
  }
}
