// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

/**
 * A pool that competes with others for the connections of one server.
 *
 * <p>Threading: thread-safe.
 */
public interface PoolMember {
  /** Called when there may be room for a connection. */
  void onRoomExpected();

  /** Called when another pool needs a connection: this one should close an idle one. */
  void onIdleWanted();
}
