// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Signals and the end of the process. Threading: stateless. */
final class Lifetime {
  private static final Logger LOG = LoggerFactory.getLogger(Lifetime.class);

  private Lifetime() {}

  /** Action at the end of the process. */
  interface ShutdownAction {
    void run() throws InterruptedException;
  }

  /**
   * Makes SIGTERM and SIGINT run the action and end the process with code 0, as the end was
   * requested. The JVM's own code would be 143 or 130.
   */
  static void onSignal(ShutdownAction action) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> runAndHalt(action), "stoa-end"));
  }

  /**
   * Makes SIGHUP run the action on a thread of its own, where the signal exists.
   *
   * <p>The class of signals is internal to the JDK and causes compiler warnings, so it is loaded by
   * reflection.
   */
  static void onHangUp(Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object hangUp = signal.getConstructor(String.class).newInstance("HUP");
      Object ours =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                action.run();
                return null;
              });
      signal.getMethod("handle", signal, handler).invoke(null, hangUp, ours);
    } catch (ReflectiveOperationException | IllegalArgumentException e) {
      LOG.info("SIGHUP is not supported here, reload with stoactl config reload");
    }
  }

  /** Ends the process as SIGTERM does. */
  static void exit() {
    new Thread(() -> System.exit(ExitCode.OK.code()), "stoa-exit").start();
  }

  /** Blocks until the process ends. */
  static void awaitSignal() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  private static void runAndHalt(ShutdownAction action) {
    ExitCode exit = ExitCode.FAILURE;
    try {
      LOG.info("shutting down: draining");
      action.run();
      LOG.info("shut down");
      exit = ExitCode.OK;
    } catch (RuntimeException | InterruptedException e) {
      LOG.error("shutdown of Stoa failed: internal error. The process ends with exit code 1", e);
    } finally {
      LogSettings.flush();
      Runtime.getRuntime().halt(exit.code());
    }
  }
}
