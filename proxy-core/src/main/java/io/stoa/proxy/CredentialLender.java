// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import io.stoa.operation.ClientSession;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.write.WriteContext.BindLender;

/**
 * Lets transaction sessions bind with the credentials of clients of the same loop.
 *
 * <p>Threading: event loop.
 */
record CredentialLender(UpstreamPools pools) implements BindLender {
  @Override
  public void lend(ClientSession session, ClientSession client) {
    pools.copyBinding(session, client);
  }

  @Override
  public long bindNumber(ClientSession session) {
    return pools.bindNumber(session);
  }
}
