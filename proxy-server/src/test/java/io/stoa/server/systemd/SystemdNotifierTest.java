// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.NotifyReceiver;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages to systemd, over a socket as it holds one. */
class SystemdNotifierTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"path", "abstract"})
  void reportsEachState(String kind) {
    String name = "stoa-notify-" + ProcessHandle.current().pid();
    String address = kind.equals("path") ? directory.resolve("notify").toString() : "@" + name;
    AtomicReference<String> status = new AtomicReference<>("not ready: starting");
    try (NotifyReceiver systemd = NotifyReceiver.at(address);
        SystemdNotifier manager =
            SystemdNotifier.of(
                Map.of("NOTIFY_SOCKET", address), status::get, SystemdNotifierTest::answering)) {
      manager.ready();
      systemd.await("READY=1");
      systemd.await("STATUS=not ready: starting");
      status.set("ready");
      systemd.await("STATUS=ready");
      manager.reloading();
      manager.reloaded();
      systemd.awaitMore("READY=1", 1);
      manager.stopping(Duration.ofSeconds(45));
      systemd.await("STOPPING=1");
      systemd.await("EXTEND_TIMEOUT_USEC=65000000");
      assertThat(systemd.messages().get(0)).isEqualTo("READY=1\nSTATUS=not ready: starting");
      assertThat(systemd.messages())
          .anyMatch(message -> message.matches("RELOADING=1\nMONOTONIC_USEC=\\d+"));
      assertThat(systemd.count("WATCHDOG=1")).isZero();
    }
  }

  @Test
  void watchdogIsFedOnlyWhileTheLoopsAnswer() {
    CompletableFuture<Void> stalled = new CompletableFuture<>();
    AtomicReference<CompletableFuture<Void>> answer = new AtomicReference<>(answering());
    AtomicInteger stalledQuestions = new AtomicInteger();
    Supplier<CompletableFuture<Void>> loops =
        () -> {
          CompletableFuture<Void> given = answer.get();
          if (given == stalled) {
            stalledQuestions.incrementAndGet();
          }
          return given;
        };
    AtomicReference<String> status = new AtomicReference<>("ready");
    String address = directory.resolve("notify").toString();
    Map<String, String> environment =
        Map.of("NOTIFY_SOCKET", address, "WATCHDOG_USEC", "100000", "WATCHDOG_PID", ownPid());
    try (NotifyReceiver systemd = NotifyReceiver.at(address);
        SystemdNotifier manager = SystemdNotifier.of(environment, status::get, loops)) {
      manager.ready();
      systemd.awaitMore("WATCHDOG=1", 2);
      answer.set(stalled);
      Await.until("the stalled loops are asked", () -> stalledQuestions.get() > 0);
      long fed = systemd.count("WATCHDOG=1");
      for (String checked : List.of("one", "two", "three")) {
        status.set(checked);
        systemd.await("STATUS=" + checked);
      }
      // The former answer may have arrived after the count.
      assertThat(systemd.count("WATCHDOG=1")).isBetween(fed, fed + 1);
      assertThat(stalledQuestions.get()).isEqualTo(1);
      answer.set(answering());
      stalled.complete(null);
      systemd.awaitMore("WATCHDOG=1", fed + 1);
    }
  }

  @Test
  void watchdogOfAnotherProcessIsNotFed() {
    String address = directory.resolve("notify").toString();
    Map<String, String> environment =
        Map.of("NOTIFY_SOCKET", address, "WATCHDOG_USEC", "2000", "WATCHDOG_PID", "1");
    AtomicReference<String> status = new AtomicReference<>("one");
    try (NotifyReceiver systemd = NotifyReceiver.at(address);
        SystemdNotifier manager =
            SystemdNotifier.of(environment, status::get, SystemdNotifierTest::answering)) {
      manager.ready();
      status.set("two");
      systemd.await("STATUS=two");
      assertThat(systemd.count("WATCHDOG=1")).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/nowhere/notify", "@stoa-no-such-socket", "vsock:2:1"})
  void startsWithoutSystemd(String address) {
    try (SystemdNotifier manager =
        SystemdNotifier.of(
            Map.of("NOTIFY_SOCKET", address), () -> "ready", SystemdNotifierTest::answering)) {
      manager.ready();
      manager.reloading();
      manager.reloaded();
      manager.stopping(Duration.ZERO);
    }
  }

  /** Event loops that answer at once. */
  private static CompletableFuture<Void> answering() {
    return CompletableFuture.completedFuture(null);
  }

  private static String ownPid() {
    return Long.toString(ProcessHandle.current().pid());
  }
}
