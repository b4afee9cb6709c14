// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that survives its defects. An executor never repeats a periodic task that has thrown, and
 * the deadlines that it watches would never end. So the exception is logged, and the task goes on.
 *
 * <p>Threading: immutable.
 *
 * @param name the name of the task in the log
 * @param task the task to run
 */
public record GuardedTask(String name, Runnable task) implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedTask.class);

  @Override
  public void run() {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error(
          "task '{}' failed: internal error. A periodic task runs again at its next time", name, e);
    }
  }
}
