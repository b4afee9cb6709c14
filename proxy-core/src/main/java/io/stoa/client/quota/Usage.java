// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Operations and failed binds of one client network or one identity.
 *
 * <p>Threading: thread-safe.
 */
final class Usage {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

  /** First delay of an answer: 250 ms. Each further failed bind doubles the delay. */
  private static final long FIRST_DELAY = TimeUnit.MILLISECONDS.toNanos(250);

  /**
   * Maximum number of failed binds that count beyond the limit: 8. The delay is at its maximum
   * then, and a network recovers soon.
   */
  private static final int MAX_EXCESS = 8;

  /**
   * Maximum number of binds of one network or name that are in progress or delayed beyond the limit
   * of failed binds: 16.
   */
  static final int MAX_BINDS = 16;

  private final String name;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger binds = new AtomicInteger();
  private final Rate operations;
  private final Rate failures;

  /**
   * Creates the usage of a network or an identity.
   *
   * @param name its name in logs
   */
  Usage(String name, long now) {
    this.name = name;
    this.operations = new Rate(now);
    this.failures = new Rate(now);
  }

  String name() {
    return name;
  }

  /** Begins an operation; false at the limit of operations in flight. */
  boolean begin(QuotaConfig config) {
    int before = inFlight.getAndIncrement();
    boolean room = config.operationsInFlight() == 0 || before < config.operationsInFlight();
    if (!room) {
      inFlight.decrementAndGet();
    }
    return room;
  }

  void end() {
    inFlight.decrementAndGet();
  }

  /** Counts an operation; false if it exceeds the rate. */
  boolean isWithinRate(QuotaConfig config, long now) {
    return config.operationsPerSecond() == 0
        || operations.take(
            now, SECOND / config.operationsPerSecond(), Math.max(1, config.effectiveBurst()));
  }

  /** Begins a bind; false if too many are in progress or delayed after too many failures. */
  boolean beginBind(QuotaConfig config, long now) {
    int before = binds.getAndIncrement();
    boolean room = before < MAX_BINDS || !hasFailedTooOften(config, now);
    if (!room) {
      binds.decrementAndGet();
    }
    return room;
  }

  void beginBind() {
    binds.incrementAndGet();
  }

  void endBind() {
    binds.decrementAndGet();
  }

  private boolean hasFailedTooOften(QuotaConfig config, long now) {
    return config.failedBinds() > 0
        && failures.isEmpty(now, MINUTE / config.failedBinds(), config.failedBinds());
  }

  /** Counts a failed bind, and returns the delay of its answer in nanoseconds. */
  long delayOfFailure(QuotaConfig config, long now) {
    if (config.failedBinds() == 0) {
      return 0;
    }
    int excess =
        failures.exceed(now, MINUTE / config.failedBinds(), config.failedBinds(), MAX_EXCESS);
    long delay = excess == 0 ? 0 : FIRST_DELAY << (excess - 1);
    return Math.min(delay, config.failedBindDelay().toNanos());
  }

  /** Called when a bind has succeeded. */
  void forgetFailures(long now) {
    failures.reset(now);
  }
}
