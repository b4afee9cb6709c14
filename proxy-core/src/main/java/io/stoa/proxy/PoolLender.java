// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.operation.ClientSession;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.write.WriteTerms.Lender;

/** Lets deputies be bound with what clients of the same loop have left. Event-loop confined. */
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
