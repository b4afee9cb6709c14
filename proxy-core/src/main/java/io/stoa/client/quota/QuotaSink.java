// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import org.jspecify.annotations.Nullable;

/**
 * Counts an operation in flight until it ends.
 *
 * <p>Threading: event loop.
 */
final class QuotaSink extends ForwardingSink {
  private final @Nullable Usage network;
  private final @Nullable Usage identity;
  private boolean ended;

  QuotaSink(ResponseSink next, @Nullable Usage network, @Nullable Usage identity) {
    super(next);
    this.network = network;
    this.identity = identity;
  }

  @Override
  public void complete(Response response) {
    end();
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    end();
    next.reject(reason);
  }

  @Override
  public void onAbandoned() {
    end();
    next.onAbandoned();
  }

  private void end() {
    if (ended) {
      return;
    }
    ended = true;
    if (network != null) {
      network.end();
    }
    if (identity != null) {
      identity.end();
    }
  }
}
