// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import io.stoa.operation.ReadFrom;
import java.util.function.Predicate;

/**
 * What a server has, or had when it was read from. Immutable.
 *
 * @param position as it has told it last
 * @param tick what ended there until then was had; {@link #NOW} if all is that was begun there
 * @param follows whether it is one of those that are to have what is written at another
 * @param mute whether a writer cannot tell at present how far it has got
 */
record ReplicaPosition(
    Object server,
    Position position,
    long tick,
    Predicate<Object> follows,
    Predicate<Object> mute) {
  static final long NOW = Long.MAX_VALUE;

  static ReplicaPosition of(Replication replication, Object server) {
    Position position = replication.position(server);
    Predicate<Object> follows = writer -> replication.together(server, writer);
    return new ReplicaPosition(server, position, NOW, follows, replication::isDown);
  }

  static ReplicaPosition of(Replication replication, ReadFrom source) {
    Object server = source.server();
    Predicate<Object> follows = writer -> replication.together(server, writer);
    return new ReplicaPosition(
        server, source.position(), source.tick(), follows, replication::isDown);
  }

  /** Whether no change of a writer is lacking: servers of other parts of the tree lack nothing. */
  boolean hasAllOf(Object writer) {
    return writer == server ? tick == NOW : !follows.test(writer);
  }

  /** Whether its position tells that it has a change, and so all earlier ones of its writer. */
  boolean covers(UnreplicatedWrite change) {
    return change.isHadAt(position);
  }

  /** Whether it has a change. */
  boolean has(UnreplicatedWrite change) {
    return hasAllOf(change.writer())
        || covers(change)
        || change.wasDoneAt(server, tick)
        || (change.isProbablyHadAt(position) && mute.test(change.writer()));
  }
}
