// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.csn.Position;
import io.stoa.operation.ReadSource;
import java.util.function.Predicate;

/**
 * How far a server has got, now or at the time of a read. Immutable.
 *
 * @param server the server, compared by identity
 * @param position its last reported position
 * @param tick writes that ended at this server by then are included; {@link #NOW} if all writes
 *     that began there are
 * @param sameGroup true for a writer in the same replication group
 * @param isDown true for a writer that is down and cannot report its position
 */
record ReplicaPosition(
    Object server,
    Position position,
    long tick,
    Predicate<Object> sameGroup,
    Predicate<Object> isDown) {
  static final long NOW = Long.MAX_VALUE;

  static ReplicaPosition of(Replication replication, Object server) {
    Position position = replication.position(server);
    Predicate<Object> sameGroup = writer -> replication.isSameGroup(server, writer);
    return new ReplicaPosition(server, position, NOW, sameGroup, replication::isDown);
  }

  static ReplicaPosition of(Replication replication, ReadSource source) {
    Object server = source.server();
    Predicate<Object> sameGroup = writer -> replication.isSameGroup(server, writer);
    return new ReplicaPosition(
        server, source.position(), source.tick(), sameGroup, replication::isDown);
  }

  /**
   * True if the server can lack no write of a writer. A server of another replication group lacks
   * nothing.
   */
  boolean hasAllOf(Object writer) {
    return writer == server ? tick == NOW : !sameGroup.test(writer);
  }

  /**
   * True if the position proves that the server has a write, and all earlier ones of its writer.
   */
  boolean covers(UnreplicatedWrite change) {
    return change.isCoveredBy(position);
  }

  /**
   * True if the server has a write. A probable position is enough only while the writer is down.
   */
  boolean has(UnreplicatedWrite change) {
    return hasAllOf(change.writer())
        || covers(change)
        || change.hadEndedAt(server, tick)
        || (change.isProbablyCoveredBy(position) && isDown.test(change.writer()));
  }
}
