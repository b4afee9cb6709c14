// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.upstream.server.DedicatedQuotas.Holder;
import io.stoa.upstream.server.DedicatedQuotas.Share;
import org.jspecify.annotations.Nullable;

/**
 * The quota for dedicated connections, as used by one client. Shared connections have none.
 *
 * <p>Threading: event loop.
 */
final class DedicatedQuota {
  private final UpstreamPool pool;
  private final @Nullable Share share;

  /**
   * Creates the quota of one group.
   *
   * @param only the client; null if the connections are shared
   * @param name name of the bind, since a session has its new name only afterwards; null for the
   *     service account, whose connections count under the client's own identity
   */
  DedicatedQuota(UpstreamPool pool, @Nullable ClientSession only, @Nullable Octets name) {
    this.pool = pool;
    this.share =
        only == null ? null : pool.backend().dedicatedQuotas().newShare(holder(only, name));
  }

  private static Holder holder(ClientSession only, @Nullable Octets name) {
    return new Holder(only.network(), name == null ? only.identity().name() : name);
  }

  /** Claims one more connection; if necessary an idle one is closed. */
  boolean take() {
    return share == null || share.take() || (pool.makeRoom(share) && share.take());
  }

  /** Claims a connection that exists already. */
  void takeAnyway() {
    if (share != null) {
      share.takeBeyondQuota();
    }
  }

  /** Gives the claim back when the connection has ended. */
  void giveBack() {
    if (share != null) {
      share.giveBack();
    }
  }

  /** Returns the owner of the connection; null if it is shared. */
  @Nullable Holder holder() {
    return share == null ? null : share.holder();
  }
}
