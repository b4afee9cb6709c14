// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import io.stoa.loadtest.run.Bench;
import io.stoa.loadtest.run.Directory;
import io.stoa.loadtest.run.Phase;
import io.stoa.loadtest.run.PhaseResult;
import io.stoa.loadtest.run.StoaServer;
import io.stoa.loadtest.run.Target;
import org.jspecify.annotations.Nullable;

/**
 * One of the compared servers: slapd itself, or a Stoa in front of it, which also reports its
 * caches.
 *
 * <p>Threading: immutable.
 *
 * @param stoa null for slapd
 */
record Server(Target target, @Nullable StoaServer stoa) {
  static Server of(Directory slapd) {
    return new Server(slapd.target(), null);
  }

  static Server of(StoaServer stoa) {
    return new Server(stoa.target(), stoa);
  }

  String name() {
    return target.name();
  }

  PhaseResult measure(Bench bench, Phase phase) {
    return stoa == null ? bench.measure(phase, target) : bench.measure(phase, stoa);
  }
}
