// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.proxy.ProxyStatus;
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
  private static final int MOMENT = 10;

  private final DefaultEventExecutor executor =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-readiness", true));
  private final Supplier<ProxyStatus> source;

  /** Reason logged last; empty if the proxy was ready. Threading: the executor. */
  private String said = "starting";

  /** Number of checks left during which unreadiness is not logged. Threading: the executor. */
  private int silence = MOMENT;

  ReadinessLog(Supplier<ProxyStatus> source) {
    this.source = source;
    executor.scheduleWithFixedDelay(this::look, 0, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void look() {
    ProxyStatus status = source.get();
    if (status.ready()) {
      say("");
    } else if (silence > 0) {
      silence--;
    } else {
      say(status.reason());
    }
  }

  private void say(String reason) {
    silence = 0;
    if (reason.equals(said)) {
      return;
    }
    said = reason;
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
