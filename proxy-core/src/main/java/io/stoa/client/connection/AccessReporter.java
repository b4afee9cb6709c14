// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.buffer.ByteBufUtil;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.net.peer.Peer;
import io.stoa.operation.AccessListener;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.CompletedOperation.Times;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationTrace;
import org.jspecify.annotations.Nullable;

/**
 * Reports one client and its operations to the access logs.
 *
 * <p>Threading: event loop.
 */
final class AccessReporter {
  private final ClientConnection client;
  private final AccessListener listener;
  private long operations;
  private boolean announced;
  private String reason = "";

  AccessReporter(ClientConnection client, AccessListener listener) {
    this.client = client;
    this.listener = listener;
  }

  /** Begins the trace of the next request, if a log may want it. */
  void begin(Operation operation) {
    long number = operations++;
    if (listener.wants(true)) {
      operation.recordTo(trace(number));
    }
  }

  private OperationTrace trace(long number) {
    OperationTrace trace = new OperationTrace();
    trace.setNumber(number);
    if (listener.wantsSteps()) {
      trace.recordSteps();
    }
    return trace;
  }

  /** Reports the connection once. */
  void announce() {
    if (!announced) {
      announced = true;
      listener.onConnected(number(), client.peer(), client.channel().localAddress());
    }
  }

  void onTls(Peer established) {
    announce();
    listener.onTls(number(), established);
  }

  /** Sets why Stoa ends the connection. */
  void setReason(String newReason) {
    reason = newReason;
  }

  void onDisconnected() {
    if (announced) {
      listener.onDisconnected(number(), client.peer(), operations, reason);
    }
  }

  void onAbandoned(Operation operation) {
    onCompleted(operation, CompletedOperation.ABANDONED);
  }

  /** Reports an operation that is about to end. Its request is not released yet. */
  void onCompleted(Operation operation, int resultCode) {
    OperationTrace trace = operation.trace();
    if (trace == null || operation.hasEnded()) {
      return; // no log wanted any operation when it began
    }
    if (!listener.wants(operation.mayChange() || trace.isAdministrative())) {
      return;
    }
    boolean read = isRead(operation.type());
    LdapMessage message = operation.message();
    Times times =
        new Times(operation.receivedNanos(), operation.lastResponseNanos(), System.nanoTime());
    listener.onCompleted(
        new CompletedOperation(
            number(),
            client.peer(),
            client.identity().name(),
            operation.type(),
            operation.messageId(),
            message.length(),
            read ? ByteBufUtil.getBytes(message.body()) : null,
            !read && operation.isDecoded() ? operation.request() : null,
            operation.mayChange() && listener.wantsValues() ? message.retained().detached() : null,
            resultCode,
            times,
            trace,
            operation.sendings()));
  }

  /**
   * Reports a request that has no response: an unbind or an abandon.
   *
   * @param request the decoded request; null for an unbind
   */
  void onWithoutResponse(OpType type, int messageId, @Nullable Request request) {
    OperationTrace trace = trace(operations++);
    if (!listener.wants(false)) {
      return;
    }
    long now = System.nanoTime();
    listener.onCompleted(
        new CompletedOperation(
            number(),
            client.peer(),
            client.identity().name(),
            type,
            messageId,
            0,
            null,
            request,
            null,
            0,
            new Times(now, now, now),
            trace,
            0));
  }

  /** True for requests that hold no password of their own and may be answered undecoded. */
  private static boolean isRead(OpType type) {
    return type == OpType.SEARCH_REQUEST || type == OpType.COMPARE_REQUEST;
  }

  private long number() {
    return client.stalls().number();
  }
}
