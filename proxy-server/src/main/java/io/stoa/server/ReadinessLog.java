// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.net.transport.GuardedTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs once when the proxy becomes ready, and when it no longer is. During the first second after
 * the start, only readiness is logged. A proxy that was ready before, or has been starting for 30
 * s, is not ready at level WARN, and a starting one at level INFO.
 *
 * <p>Threading: thread-safe.
 */
final class ReadinessLog implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ReadinessLog.class);
  private static final long PERIOD_MILLIS = 100;
  private static final int QUIET_CHECKS = 10;

  /** Number of checks during which a proxy that was never ready is starting: 300, for 30 s. */
  private static final int STARTING_CHECKS = 300;

  private final DefaultEventExecutor executor =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-readiness", true));
  private final Supplier<String> reasonNotReady;

  /** Reason logged last; empty if the proxy was ready. Threading: the executor. */
  private String lastReason = "starting";

  /** Number of checks until now; only its first values count. Threading: the executor. */
  private int checks;

  /** True if the proxy was ready before. Threading: the executor. */
  private boolean wasReady;

  /** Level of the line with the last reason. Threading: the executor. */
  private Level lastLevel = Level.INFO;

  /**
   * Creates a log that checks nothing until {@link #start}.
   *
   * @param reasonNotReady supplies the reason why the proxy is not ready; empty if it is
   */
  ReadinessLog(Supplier<String> reasonNotReady) {
    this.reasonNotReady = reasonNotReady;
  }

  /** Starts the checks. */
  ReadinessLog start() {
    executor.scheduleWithFixedDelay(
        new GuardedTask("check of readiness", this::check),
        0,
        PERIOD_MILLIS,
        TimeUnit.MILLISECONDS);
    return this;
  }

  /** Logs a change since the last check. Called every 100 ms. */
  void check() {
    String reason = reasonNotReady.get();
    checks = Math.min(checks + 1, STARTING_CHECKS + 1);
    if (reason.isEmpty()) {
      onReady();
    } else if (wasReady || checks > QUIET_CHECKS) {
      Level level = wasReady || checks > STARTING_CHECKS ? Level.WARN : Level.INFO;
      onNotReady(reason, level);
    }
  }

  private void onReady() {
    wasReady = true;
    if (!lastReason.isEmpty()) {
      lastReason = "";
      LOG.info("ready");
    }
  }

  private void onNotReady(String reason, Level level) {
    if (!reason.equals(lastReason) || level != lastLevel) {
      lastReason = reason;
      lastLevel = level;
      LOG.atLevel(level).log("not ready: {}", reason);
    }
  }

  @Override
  public void close() {
    executor.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
