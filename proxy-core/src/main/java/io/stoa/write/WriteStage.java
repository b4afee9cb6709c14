// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.feed.event.RightsAttributes;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import io.stoa.operation.PasswordOwner;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;
import io.stoa.write.ClientWriteOrder.Turn;
import io.stoa.write.WindowConfig.Batch;
import io.stoa.write.WindowedWrite.CacheReports;
import io.stoa.write.WriteContext.BindLender;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends writes on, at once or when their window closes, in the order that their clients can
 * observe.
 *
 * <p>The caches process a change before its client is answered. The rule also holds if the client
 * has abandoned the write, and if its outcome is unknown.
 *
 * <p>Threading: event loop.
 */
public final class WriteStage implements Stage {
  private final WriteContext context;
  private final List<LoopWindow> parts;
  private final Stage next;

  /** Write order of each client with writes that are not over. */
  private final Map<ClientSession, ClientWriteOrder> orders = new HashMap<>();

  /**
   * Creates the stage before {@code next}.
   *
   * @param reads reads that wait for writes
   * @param lender lets writes of several clients of one identity be performed together
   */
  public WriteStage(
      WriteContext context, EventExecutor loop, WaitingReads reads, BindLender lender, Stage next) {
    this.context = context;
    this.parts =
        context.windows().all().stream()
            .map(
                window ->
                    new LoopWindow(
                        window,
                        loop,
                        reads::resumeAll,
                        transactions(window, loop, lender, next),
                        context.timeout()))
            .toList();
    this.next = next;
  }

  private @Nullable Transactions transactions(
      WriteWindow window, EventExecutor loop, BindLender lender, Stage stage) {
    return window.config().batch() == Batch.TRANSACTIONS
        ? new Transactions(window, loop, lender, stage)
        : null;
  }

  @Override
  public void handle(Operation operation) {
    if (!operation.mayChange()) {
      next.handle(operation);
      return;
    }
    Request request = operation.request();
    byte[] owner = PasswordOwner.of(operation, request);
    byte[] target = request.op().target() == null ? owner : request.op().target();
    Octets position =
        target == null || request.op() instanceof ModifyDnOp ? null : position(target);
    WriteWindow window = target == null ? null : context.windows().of(operation, target);
    if (window != null && WindowRule.mayWait(operation, request, window.config())) {
      enqueue(operation, request, owner, position, window);
    } else if (target == null && !orders.containsKey(operation.session())) {
      operation.setSink(outcome(operation, change(operation, request, owner), context.listener()));
      next.handle(operation);
    } else {
      send(operation, change(operation, request, owner), position);
    }
  }

  /** Returns the place of an entry; null if the name is not a DN. */
  private @Nullable Octets position(byte[] target) {
    return NormalDn.of(target, context.windows().profile()).treePosition();
  }

  private ClientWriteOrder order(ClientSession client) {
    return orders.computeIfAbsent(client, one -> new ClientWriteOrder(() -> orders.remove(one)));
  }

  private void send(Operation operation, OwnChange change, @Nullable Octets position) {
    OutcomeSink outcome = outcome(operation, change, context.listener());
    DirectWrite write = new DirectWrite(operation, outcome, context.operationTimeout());
    operation.setSink(write);
    write.take(order(operation.session()).take(position, () -> begin(write, operation)));
  }

  private void begin(DirectWrite write, Operation operation) {
    write.begin();
    forward(operation);
  }

  private OutcomeSink outcome(Operation operation, OwnChange change, ChangeListener listener) {
    return new OutcomeSink(operation, listener, change, context);
  }

  /** Returns the change that a request may make; its entry is null if it is not known. */
  private static OwnChange change(Operation operation, Request request, byte @Nullable [] owner) {
    byte[] entry = request.op().target() == null ? owner : request.op().target();
    ModifyDnOp rename = request.op() instanceof ModifyDnOp op ? op : null;
    boolean rights =
        request.op() instanceof ModifyOp op && RightsAttributes.containAccessRule(op.attributes());
    return new OwnChange(operation.type(), entry, rename, null, 0, false, rights);
  }

  private void enqueue(
      Operation operation,
      Request request,
      byte @Nullable [] owner,
      @Nullable Octets position,
      WriteWindow window) {
    Runnable resumeReads = context.waiting().add(operation, request, owner);
    OwnChange change = change(operation, request, owner);
    CacheReports reports = new CacheReports(window, resumeReads);
    WindowedWrite write =
        new WindowedWrite(operation, outcome(operation, change, reports), part(window), reports);
    operation.setSink(write);
    Turn turn = order(operation.session()).take(position, () -> forward(operation));
    if (!write.waitFor(turn)) {
      write.reject(Rejection.QUEUE_FULL);
    }
  }

  private LoopWindow part(WriteWindow window) {
    return parts.stream().filter(part -> part.window() == window).findFirst().orElseThrow();
  }

  /**
   * Sends a write on. A write that has waited too long is rejected, and has certainly not taken
   * effect.
   */
  private void forward(Operation operation) {
    if (operation.hasEnded()) {
      return;
    }
    operation.setCancellation(null);
    long waited = context.clock().getAsLong() - operation.waitsSince();
    if (waited > context.operationTimeout().toNanos()) {
      operation.sink().reject(Rejection.UPSTREAM_TIMEOUT);
      return;
    }
    next.handle(operation);
  }
}
