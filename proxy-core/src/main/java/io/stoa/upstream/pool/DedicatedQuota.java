// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientSession;
import io.stoa.upstream.server.DedicatedQuotas.Holder;
import io.stoa.upstream.server.DedicatedQuotas.Share;
import org.jspecify.annotations.Nullable;

/**
 * The right of one client to connections of its own; nothing where they serve many. Event-loop
 * confined.
 */
final class DedicatedQuota {
  private final UpstreamPool pool;
  private final @Nullable Share share;

  /**
   * Makes it.
   *
   * @param only null if the connections serve many
   * @param name as whom they are bound: at a bind the session does not bear its new name yet; null
   *     if that is the service account, which is nobody's
   */
  DedicatedQuota(UpstreamPool pool, @Nullable ClientSession only, @Nullable Octets name) {
    this.pool = pool;
    this.share = only == null ? null : pool.backend().shares().of(holder(only, name));
  }

  private static Holder holder(ClientSession only, @Nullable Octets name) {
    return new Holder(only.network(), name == null ? only.identity().name() : name);
  }

  /** Takes it for one connection more, if need be from one that is idle. */
  boolean take() {
    return share == null || share.take() || (pool.makeRoom(share) && share.take());
  }

  /** Takes it for one that is there already. */
  void takeAnyway() {
    if (share != null) {
      share.takeAnyway();
    }
  }

  /** Gives it back at the end of a connection. */
  void giveBack() {
    if (share != null) {
      share.giveBack();
    }
  }

  /** Whose it is; null if it is nobody's. */
  @Nullable Holder holder() {
    return share == null ? null : share.holder();
  }
}
