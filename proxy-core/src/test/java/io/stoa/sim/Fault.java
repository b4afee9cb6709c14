// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

/** What goes wrong for a while in a history. */
enum Fault {
  NONE,
  /** Changes reach the replica seconds later. */
  REPLICA_LAG,
  /** None do, until it is over. */
  REPLICA_CUT,
  /** The answers to some writes are lost, which are made before or after that. */
  WRITE_ANSWER_LOST,
  /** All loops stand still at once, as when the process is stopped. */
  LOOPS_PAUSED,
  /** Servers do not tell how far they have got. */
  PROBE_LOST
}
