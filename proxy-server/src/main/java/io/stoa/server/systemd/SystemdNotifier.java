// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.systemd;

import io.netty.util.concurrent.ScheduledFuture;
import io.stoa.net.transport.GuardedTask;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the state of the service to systemd, as sd_notify(3) describes it. Without {@code
 * NOTIFY_SOCKET} nothing is sent.
 *
 * <p>The watchdog is fed only after all event loops have run a task. A loop that stalls for longer
 * than {@code WatchdogSec} therefore makes systemd restart the service.
 *
 * <p>Threading: thread-safe.
 */
public final class SystemdNotifier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SystemdNotifier.class);

  /** Interval in ms between checks of the status: 1 s, as a person reads it. */
  private static final long STATUS_MILLIS = 1000;

  /** Maximum wait in ms for a message that must be sent before the process goes on: 1 s. */
  private static final long SEND_MILLIS = 1000;

  /**
   * Time in ms in which the process ends after its clients have gone: 20 s, for stalled logs (2 s
   * each), closing connections and a slow machine.
   */
  private static final long CLOSE_MILLIS = 20_000;

  private final @Nullable NotifySocket socket;
  private final long periodMillis;
  private final boolean watchdog;
  private final Supplier<String> status;
  private final Supplier<CompletableFuture<Void>> loops;

  /** Checks of the status and the loops; null before the start. Threading: the socket's loop. */
  private @Nullable ScheduledFuture<?> checks;

  /** Status sent last. Threading: the socket's loop. */
  private String lastStatus = "";

  /** True while the event loops have been asked and not answered. Threading: the socket's loop. */
  private boolean asked;

  private SystemdNotifier(
      @Nullable NotifySocket socket,
      long watchdogMicros,
      Supplier<String> status,
      Supplier<CompletableFuture<Void>> loops) {
    this.socket = socket;
    this.watchdog = watchdogMicros > 0;
    long half = Math.max(1, TimeUnit.MICROSECONDS.toMillis(watchdogMicros) / 2);
    this.periodMillis = watchdog ? Math.min(STATUS_MILLIS, half) : STATUS_MILLIS;
    this.status = status;
    this.loops = loops;
  }

  /**
   * Connects to the service manager, if the environment names one. A socket that cannot be used is
   * logged.
   *
   * @param environment environment variables of the process
   * @param status the present state in one line
   * @param loops asks all event loops; completes when all have answered
   */
  public static SystemdNotifier of(
      Map<String, String> environment,
      Supplier<String> status,
      Supplier<CompletableFuture<Void>> loops) {
    String address = environment.getOrDefault("NOTIFY_SOCKET", "");
    return new SystemdNotifier(open(address), watchdogMicros(environment), status, loops);
  }

  private static @Nullable NotifySocket open(String address) {
    if (address.isEmpty()) {
      return null;
    }
    try {
      return NotifySocket.open(address);
    } catch (IOException e) {
      LOG.warn("systemd not notified at {}: {}", address, e.getMessage());
      return null;
    }
  }

  /** Returns the time in µs within which systemd expects a sign of life; 0 without a watchdog. */
  private static long watchdogMicros(Map<String, String> environment) {
    String process = environment.getOrDefault("WATCHDOG_PID", "");
    if (!process.isEmpty() && !process.equals(Long.toString(ProcessHandle.current().pid()))) {
      return 0;
    }
    try {
      return Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0"));
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Reports that all listeners are open, and starts to report the status. */
  public void ready() {
    run(
        notify -> {
          lastStatus = status.get();
          notify.send("READY=1\nSTATUS=" + lastStatus);
          checks =
              notify
                  .loop()
                  .scheduleAtFixedRate(
                      new GuardedTask("report to systemd", () -> check(notify)),
                      periodMillis,
                      periodMillis,
                      TimeUnit.MILLISECONDS);
        });
  }

  private void check(NotifySocket notify) {
    String now = status.get();
    if (!now.equals(lastStatus)) {
      lastStatus = now;
      notify.send("STATUS=" + now);
    }
    if (watchdog && !asked) {
      asked = true;
      loops.get().whenCompleteAsync((none, failure) -> answered(notify, failure), notify.loop());
    }
  }

  private void answered(NotifySocket notify, @Nullable Throwable failure) {
    asked = false;
    if (failure == null) {
      notify.send("WATCHDOG=1");
    }
  }

  /** Reports that the configuration is read again. */
  public void reloading() {
    long now = TimeUnit.NANOSECONDS.toMicros(System.nanoTime()); // CLOCK_MONOTONIC on Linux
    run(notify -> notify.send("RELOADING=1\nMONOTONIC_USEC=" + now));
  }

  /** Reports that the reload has ended, with or without a new configuration. */
  public void reloaded() {
    run(notify -> notify.send("READY=1"));
  }

  /**
   * Reports that the service ends. Returns when the message is sent, or after one second.
   *
   * @param drain maximum time until clients have gone; systemd waits for it, and for {@value
   *     #CLOSE_MILLIS} ms more, even if {@code TimeoutStopSec} is shorter
   */
  public void stopping(Duration drain) {
    long micros = TimeUnit.MILLISECONDS.toMicros(drain.toMillis() + CLOSE_MILLIS);
    run(
        notify -> {
          if (checks != null) {
            checks.cancel(false);
          }
          notify.send("STOPPING=1\nSTATUS=shutting down\nEXTEND_TIMEOUT_USEC=" + micros);
        });
  }

  /** Work on the socket. */
  @FunctionalInterface
  private interface Work {
    void on(NotifySocket notify);
  }

  private void run(Work work) {
    NotifySocket notify = socket;
    if (notify != null && !notify.loop().isShuttingDown()) {
      notify.loop().submit(() -> work.on(notify)).awaitUninterruptibly(SEND_MILLIS);
    }
  }

  /** Closes the socket. Returns when its thread has ended. */
  @Override
  public void close() {
    if (socket != null) {
      socket.close();
    }
  }
}
