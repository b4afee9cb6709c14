// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import java.util.List;
import java.util.stream.Stream;

/** What goes wrong for a while in a history. */
enum Fault {
  NONE,
  /** Changes reach the replica seconds later. */
  REPLICA_LAG,
  /** None do, until it is over. */
  REPLICA_CUT,
  /** The answers to some writes are lost, which are made before or after that. */
  WRITE_ANSWER_LOST,
  /** The primary takes everything, and answers when it is over. */
  PRIMARY_SILENT,
  /** All loops stand still at once for 10 s, as when the process is stopped. */
  LOOPS_PAUSED,
  /** Servers do not tell how far they have got. */
  PROBE_LOST,
  /** The connection of the feed ends, and there is none until it is over. */
  FEED_CUT,
  /** Nothing comes over it, until it is over. */
  FEED_SILENT,
  /** All comes over it seconds later. */
  FEED_DELAYED,
  /** The provider begins anew, and has forgotten what was deleted before. */
  PROVIDER_RESTART,
  /** The cookie is lost with the connection. */
  COOKIE_LOST,
  /** The provider wants a refresh: e-syncRefreshRequired. */
  REFRESH_REQUIRED,
  /** The provider knows nothing of what the cookie says, as after a restore. */
  NEW_HISTORY,
  /** A change is lost, and the position says that it is not. */
  HOLE,
  /** What applies the feed stands still, and nothing else does. */
  DOMAIN_PAUSED;

  /** What can happen where there is no feed. */
  static final List<Fault> WITHOUT_FEED =
      Stream.of(values()).filter(one -> one.compareTo(FEED_CUT) < 0).toList();

  /** What can happen to what rests on a feed. */
  static final List<Fault> WITH_FEED = List.of(values());
}
