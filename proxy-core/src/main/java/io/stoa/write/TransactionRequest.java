// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.operation.InternalSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request of a transaction, sent in place of a client, and the sink of its answer.
 *
 * <p>Threading: event loop.
 */
final class TransactionRequest extends InternalSink {
  private final Operation operation;
  private final Consumer<Result> outcome;

  private TransactionRequest(Operation operation, Consumer<Result> outcome) {
    super(operation);
    this.operation = operation;
    this.outcome = outcome;
  }

  /**
   * The outcome of a request. Immutable; callers do not modify the array.
   *
   * @param code result code; below 0 if there is none
   * @param sent true if the request may have reached a server
   * @param value value of a successful extended operation; null if there is none
   */
  record Result(int code, boolean sent, byte @Nullable [] value) {
    boolean success() {
      return code == 0;
    }
  }

  /**
   * Sends a request.
   *
   * @param client the operation of the client
   * @param outcome called once with the outcome
   */
  static void send(
      Operation client,
      TransactionSession deputy,
      LdapMessage message,
      Stage next,
      Consumer<Result> outcome) {
    Operation step =
        client.derived(
            deputy, message, System.nanoTime(), own -> new TransactionRequest(own, outcome));
    step.restartWait(System.nanoTime());
    deputy.addRequest(step);
    try {
      next.handle(step);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("Stoa's own request is malformed", e);
    }
  }

  @Override
  public void complete(LdapMessage response) {
    int code = LdapResult.codeOf(response.body());
    byte[] value = value(response);
    response.release();
    end(new Result(code, true, value));
  }

  private static byte @Nullable [] value(LdapMessage response) {
    try {
      return LdapResult.responseValue(response.body());
    } catch (LdapProtocolException e) {
      return null; // not an extended response, or without a value
    }
  }

  @Override
  public void complete(byte[] op) {
    end(new Result(LdapResult.codeOf(op), false, null));
  }

  /** Treats a large result as no result: no result of a transaction is that long. */
  @Override
  public void complete(LargeMessage response) {
    end(new Result(-1, true, null));
  }

  @Override
  public void reject(Rejection reason) {
    end(new Result(-1, operation.sendings() > 0, null));
  }

  @Override
  public void abandoned() {
    outcome.accept(new Result(-1, operation.sendings() > 0, null));
  }

  private void end(Result result) {
    if (end()) {
      outcome.accept(result);
    }
  }
}
