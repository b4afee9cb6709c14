// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;

/**
 * Properties of one operation that matter for the choice of a server.
 *
 * <p>Threading: event loop.
 */
public interface LoadBalancingContext {
  /** Returns the extra cost of using the server, in operations in flight. */
  int handicap(Backend backend);

  /** Returns a hash of the requested data. Equal requests find a warm cache at the same server. */
  long affinity();
}
