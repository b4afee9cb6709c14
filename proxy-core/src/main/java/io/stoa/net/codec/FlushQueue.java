// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;

/**
 * Collects the connections of one event loop that have something to send. All are flushed once the
 * loop has read from every connection that was ready. So the messages of one round cost one system
 * call for each connection. System calls are the largest cost of a proxy.
 *
 * <p>Threading: event loop.
 */
public final class FlushQueue implements Runnable {
  private final EventExecutor loop;
  private List<MessageWriter> waiting = new ArrayList<>();
  private List<MessageWriter> sending = new ArrayList<>();

  /** Creates the queue of one event loop. */
  public FlushQueue(EventExecutor loop) {
    this.loop = loop;
  }

  /**
   * Adds a connection; the first one of a round schedules the flush. Tasks of a loop run after its
   * ready channels were read.
   */
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
