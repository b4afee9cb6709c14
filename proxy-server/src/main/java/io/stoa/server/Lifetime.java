// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How long the process runs. Stateless. */
final class Lifetime {
  private static final Logger LOG = LoggerFactory.getLogger(Lifetime.class);

  private Lifetime() {}

  /** What is done at the end. */
  interface Action {
    void run() throws InterruptedException;
  }

  /**
   * Has SIGTERM and SIGINT run the action and end the process. Its exit code is 0, since ending is
   * what was asked for; the JVM by itself would make it 143 or 130.
   */
  static void onSignal(Action action) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(action), "stoa-end"));
  }

  /**
   * Has SIGHUP run the action, on a thread of its own, where there is such a signal.
   *
   * <p>The class of signals is one of the JDK that compilers warn of, so it is looked up.
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
      LOG.info("SIGHUP cannot be heard here: {}", e.toString());
    }
  }

  /** Ends the process as SIGTERM would. */
  static void exit() {
    new Thread(() -> System.exit(ExitCode.OK.code()), "stoa-exit").start();
  }

  /** Waits until the process ends. */
  static void awaitSignal() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  private static void end(Action action) {
    ExitCode exit = ExitCode.FAILURE;
    try {
      LOG.info("ending");
      action.run();
      LOG.info("ended");
      exit = ExitCode.OK;
    } catch (RuntimeException | InterruptedException e) {
      LOG.error("could not end in order", e);
    }
    Runtime.getRuntime().halt(exit.code());
  }
}
