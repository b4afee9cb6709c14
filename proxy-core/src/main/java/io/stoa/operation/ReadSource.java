// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.csn.Position;

/**
 * Properties of the server that answers a read, at the time of the read.
 *
 * <p>Threading: immutable.
 *
 * @param server the server, compared by identity
 * @param position its position before the read was sent; empty if it is not known
 * @param behindNanos maximum age of its answer relative to the primary, in nanoseconds
 * @param tick count of starts and ends of writes when the read was sent
 */
public record ReadSource(Object server, Position position, long behindNanos, long tick) {

  /** Returns the properties with a position that includes another one, too. */
  public ReadSource withPosition(Position other) {
    return new ReadSource(server, position.merge(other), behindNanos, tick);
  }

  /** Returns properties that hold for two reads of the same server. */
  public ReadSource merge(ReadSource other) {
    return new ReadSource(
        server,
        position.intersect(other.position),
        Math.max(behindNanos, other.behindNanos),
        Math.min(tick, other.tick));
  }
}
