// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

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
