// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;

/** Reports the end of an operation. Threading: event loop. */
public final class EndSink extends ForwardingSink {
  private final Runnable end;

  /**
   * Wraps a sink.
   *
   * @param end runs after the operation has ended
   */
  public EndSink(ResponseSink next, Runnable end) {
    super(next);
    this.end = end;
  }

  @Override
  public void complete(Response response) {
    next.complete(response);
    end.run();
  }

  @Override
  public void reject(Rejection reason) {
    next.reject(reason);
    end.run();
  }

  @Override
  public void onAbandoned() {
    next.onAbandoned();
    end.run();
  }
}
