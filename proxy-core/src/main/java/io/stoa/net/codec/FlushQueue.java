// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the connections of one event loop that have something to send, and sends for all of them
 * once the loop has read from every connection that was ready. So the answers and requests of one
 * round go out in one system call per connection: system calls are what a proxy spends its time on.
 * Event-loop confined.
 */
public final class FlushQueue implements Runnable {
  private final EventExecutor loop;
  private List<MessageWriter> waiting = new ArrayList<>();
  private List<MessageWriter> sending = new ArrayList<>();

  /** Makes the queue of one event loop. */
  public FlushQueue(EventExecutor loop) {
    this.loop = loop;
  }

  /** The event loop to which the queue belongs. */
  public EventExecutor loop() {
    return loop;
  }

  /** Tasks of a loop run after the channels that were ready: the first to come orders the run. */
  void add(MessageWriter writer) {
    if (waiting.isEmpty()) {
      loop.execute(this);
    }
    waiting.add(writer);
  }

  @Override
  public void run() {
    List<MessageWriter> now = waiting;
    waiting = sending;
    sending = now;
    for (MessageWriter writer : now) {
      writer.flush();
    }
    now.clear();
  }
}
