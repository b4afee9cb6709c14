// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence;

import io.stoa.change.Position;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/**
 * How far one server has got, as it has last said. Written under the lock of {@link Replication},
 * read by any thread (thread-safe).
 */
final class KnownServer {
  final Object group;
  final String name;
  final boolean primary;
  final BooleanSupplier up;

  /** Empty until it has told one; what it told last after that. */
  volatile Position position = Position.NONE;

  /** When it was asked for the position that it told last. */
  volatile long asked;

  /** What it has was not older than what a primary had then. */
  volatile long asOf;

  /** When that was first seen which it lacks; only if it lags. */
  volatile long missingSince;

  /** Whether its position can be compared with those of primaries. */
  volatile boolean compares;

  volatile boolean lags;
  volatile boolean behind;

  /** When it was first asked in vain for a position that it has told before; only if it hides. */
  volatile long hidesSince;

  volatile boolean hides;

  /** Reads that it was given although it may lack what they had to show. */
  final LongAdder uncovered = new LongAdder();

  KnownServer(Object group, String name, boolean primary, BooleanSupplier up) {
    this.group = group;
    this.name = name;
    this.primary = primary;
    this.up = up;
  }

  /** Whether it has told a position. */
  boolean tells() {
    return !position.isEmpty();
  }

  /** How far it is behind, in nanoseconds: since when it lacks what a primary has shown. */
  long lag(long now) {
    return lags ? now - missingSince : 0;
  }
}
