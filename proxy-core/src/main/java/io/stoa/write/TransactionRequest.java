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
 * One request of a transaction, done in a client's place. Takes the answer. Event-loop confined.
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
   * What has become of it. Immutable, as long as nobody modifies the array.
   *
   * @param code the result code; below 0 if there is none
   * @param sent whether it may have reached a server
   * @param value of a successful extended operation
   */
  record Result(int code, boolean sent, byte @Nullable [] value) {
    boolean success() {
      return code == 0;
    }
  }

  /**
   * Sends one.
   *
   * @param client in whose place
   * @param outcome hears, once, what has become of it
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
    step.waitsFrom(System.nanoTime());
    deputy.running(step);
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
      return null; // it is no answer to an extended request, or tells nothing
    }
  }

  @Override
  public void complete(byte[] op) {
    end(new Result(LdapResult.codeOf(op), false, null));
  }

  /** No result of a transaction is that long. */
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
