// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.stoa.backend.Backend;
import io.stoa.identity.ServiceAccount;
import io.stoa.operation.Operation;
import io.stoa.queue.QueueBound;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What the pools of one event loop share. Immutable.
 *
 * @param config sizes and times
 * @param connector makes connections on this loop
 * @param queueBound how many operations may wait, over all loops
 * @param service as whom connections are bound in proxied-authorization mode; else null
 * @param lost takes operations that were not answered, and the server that did not
 */
record PoolSettings(
    UpstreamConfig config,
    Connector connector,
    QueueBound queueBound,
    @Nullable ServiceAccount service,
    BiConsumer<Operation, Backend> lost) {
  private static final long SPARE_NANOS = TimeUnit.SECONDS.toNanos(30);

  int maxOutstanding() {
    return config.maxOutstanding();
  }

  long connectMillis() {
    return config.connectTimeout().toMillis();
  }

  long queueNanos() {
    return config.queueTimeout().toNanos();
  }

  long operationNanos() {
    return config.operationTimeout().toNanos();
  }

  /** How long a connection may be without work. */
  long idleNanos() {
    long nanos = config.transport().idleTimeout().toNanos();
    return nanos == 0 ? Long.MAX_VALUE : nanos;
  }

  /** How long a connection beyond an identity's first may be idle. */
  long spareNanos() {
    return SPARE_NANOS;
  }
}
