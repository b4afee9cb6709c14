// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.List;

/** Judges one promise by what clients have recorded. Stateless. */
public interface Checker {
  /** What was not kept. */
  List<Violation> check(Recording recording, Timeline timeline, Bounds bounds);
}
