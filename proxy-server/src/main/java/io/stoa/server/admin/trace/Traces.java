// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.trace;

import io.stoa.net.peer.Peer;
import io.stoa.operation.AccessListener;
import io.stoa.operation.CompletedOperation;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The running traces. Receives the events of the access logs, gives completed operations to the
 * traces, and passes everything on to the logs.
 *
 * <p>Threading: thread-safe.
 */
public final class Traces implements AccessListener, AutoCloseable {
  /** Maximum number of traces at once: 4. Each has a thread and a queue. */
  static final int MAX = 4;

  private final AccessListener logs;
  private final List<Trace> running = new CopyOnWriteArrayList<>();

  /** Creates it without traces, before {@code logs}. */
  public Traces(AccessListener logs) {
    this.logs = logs;
  }

  /** Starts a trace; false, without effect, if {@link #MAX} run already. */
  synchronized boolean begin(Trace trace) {
    boolean room = running.size() < MAX;
    if (room) {
      running.add(trace);
      trace.start();
    }
    return room;
  }

  /** Removes a trace that ends. */
  void end(Trace trace) {
    running.remove(trace);
  }

  @Override
  public boolean wants(boolean audited) {
    return wantsSteps() || logs.wants(audited);
  }

  @Override
  public boolean wantsSteps() {
    return !running.isEmpty();
  }

  @Override
  public boolean wantsValues() {
    return logs.wantsValues();
  }

  @Override
  public void onConnected(long client, Peer peer, @Nullable SocketAddress local) {
    logs.onConnected(client, peer, local);
  }

  @Override
  public void onTls(long client, Peer peer) {
    logs.onTls(client, peer);
  }

  @Override
  public void onDisconnected(long client, Peer peer, long operations, String reason) {
    logs.onDisconnected(client, peer, operations, reason);
  }

  /** An operation that was received before a trace began has no steps, and is not shown. */
  @Override
  public void onCompleted(CompletedOperation operation) {
    if (operation.trace().hasSteps()) {
      offer(operation);
    }
    logs.onCompleted(operation);
  }

  private void offer(CompletedOperation operation) {
    List<Trace> interested =
        running.stream().filter(trace -> trace.selection().admitsClient(operation)).toList();
    if (!interested.isEmpty()) {
      TracedOperation traced =
          new TracedOperation(operation.withoutValues(), operation.trace().finishSteps());
      interested.forEach(trace -> trace.offer(traced));
    }
  }

  /** Ends all traces. */
  @Override
  public void close() {
    running.forEach(Trace::stop);
  }
}
