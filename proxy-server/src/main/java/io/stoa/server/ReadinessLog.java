// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.metrics.ProxyStatus;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs once when the proxy becomes ready, and when it no longer is. During the first second after
 * the start, only readiness is logged.
 *
 * <p>Threading: thread-safe.
 */
final class ReadinessLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReadinessLog.class);
  private static final long PERIOD_MILLIS = 100;
  private static final int QUIET_CHECKS = 10;

  private final DefaultEventExecutor executor =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-readiness", true));
  private final Supplier<ProxyStatus> source;

  /** Reason logged last; empty if the proxy was ready. Threading: the executor. */
  private String lastReason = "starting";

  /** Number of checks left during which unreadiness is not logged. Threading: the executor. */
  private int quietChecks = QUIET_CHECKS;

  ReadinessLog(Supplier<ProxyStatus> source) {
    this.source = source;
    executor.scheduleWithFixedDelay(this::check, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void check() {
    ProxyStatus status = source.get();
    if (status.ready()) {
      logReason("");
    } else if (quietChecks > 0) {
      quietChecks--;
    } else {
      logReason(status.reason());
    }
  }

  private void logReason(String reason) {
    quietChecks = 0;
    if (reason.equals(lastReason)) {
      return;
    }
    lastReason = reason;
    if (reason.isEmpty()) {
      LOG.info("ready");
    } else {
      LOG.warn("not ready: {}", reason);
    }
  }

  @Override
  public void close() {
    executor.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
