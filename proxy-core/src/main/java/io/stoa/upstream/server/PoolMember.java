// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

/** Who makes connections to a server, and must share its bound with others. Thread-safe. */
public interface PoolMember {
  /** There may be room for a connection. */
  void roomExpected();

  /** Another claimant needs a connection: an idle one is to be given up. */
  void idleWanted();
}
