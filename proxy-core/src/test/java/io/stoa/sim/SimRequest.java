// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.testing.RawRequest;

/** What clients ask. Immutable. */
sealed interface SimRequest permits SimSearch, SimCompare {
  /** Who asks; empty if nobody has bound. */
  String identity();

  /** The entry that it is about, or at which it begins. */
  String base();

  /** Whether it looks at values that follow from other entries. */
  boolean derives();

  RawRequest request();
}
