// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.stoa.upstream.server.Backend;

/** What one operation asks of the server that is to be chosen for it. Event-loop confined. */
public interface LoadBalancingContext {
  /** What it costs beforehand to use the server, in outstanding operations. */
  int handicap(Backend backend);

  /** A hash of what is read: equal ones find a warm cache at the server that had it last. */
  long affinity();
}
