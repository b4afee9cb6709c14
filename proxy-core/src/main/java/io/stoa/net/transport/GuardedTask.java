// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that is run now and then. A periodic task that throws is never run again, and with it the
 * deadlines that it watches would end; so a defect is logged, and the task goes on. Immutable.
 *
 * @param task what is run
 */
public record GuardedTask(Runnable task) implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(GuardedTask.class);

  @Override
  public void run() {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("a periodic task has a defect", e);
    }
  }
}
