// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.csn.Position;

/**
 * What is known of the server that answers a read. Immutable.
 *
 * @param server which it is, compared by identity
 * @param position what it had before the read was sent; empty if it is not known
 * @param behindNanos how much older its answer may be than one of the primary
 * @param tick when the read was sent, among the beginnings and ends of changes
 */
public record ReadFrom(Object server, Position position, long behindNanos, long tick) {

  /** The same of a server that has that, too. */
  public ReadFrom having(Position more) {
    return new ReadFrom(server, position.merge(more), behindNanos, tick);
  }

  /** What is known of the same server for whatever was read at either time. */
  public ReadFrom and(ReadFrom other) {
    return new ReadFrom(
        server,
        position.least(other.position),
        Math.max(behindNanos, other.behindNanos),
        Math.min(tick, other.tick));
  }
}
