// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.operation.ClientSession;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.write.WriteTerms.Lender;

/**
 * Lets transaction sessions bind with the credentials of clients of the same loop.
 *
 * <p>Threading: event loop.
 */
record PoolLender(UpstreamPools pools) implements Lender {
  @Override
  public void lend(ClientSession deputy, ClientSession client) {
    pools.standIn(deputy, client);
  }

  @Override
  public long since(ClientSession session) {
    return pools.since(session);
  }
}
