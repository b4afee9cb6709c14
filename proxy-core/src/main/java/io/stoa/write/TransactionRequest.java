// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.operation.Operation;
import io.stoa.operation.ResponseCollector;
import io.stoa.operation.ResponseCollector.CollectedResponse;
import io.stoa.operation.ResponseCollector.Limit;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Stage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One request of a transaction, sent in place of a client.
 *
 * <p>Threading: stateless.
 */
final class TransactionRequest {
  private TransactionRequest() {}

  /**
   * The outcome of a request. Immutable; callers do not modify the array.
   *
   * @param code result code; below 0 if there is none
   * @param sent true if the request may have reached a server
   * @param value value of a successful extended operation; null if there is none
   */
  record Result(int code, boolean sent, byte @Nullable [] value) {
    boolean isSuccess() {
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
      TransactionSession session,
      LdapMessage message,
      Stage next,
      Consumer<Result> outcome) {
    Operation step =
        client.derived(session, message, System.nanoTime(), own -> collector(own, outcome));
    step.restartWait(System.nanoTime());
    session.addRequest(step);
    next.handle(step);
  }

  private static ResponseSink collector(Operation request, Consumer<Result> outcome) {
    return new ResponseCollector(
        request, Limit.FINAL_RESPONSE, answer -> outcome.accept(result(request, answer)));
  }

  private static Result result(Operation request, CollectedResponse answer) {
    byte[] response = answer.done();
    boolean answered = response != null || answer.fromServer();
    boolean sent = answered ? answer.fromServer() : request.sendings() > 0;
    return new Result(
        answer.code(),
        sent,
        sent && response != null ? LdapResult.responseValueOf(response) : null);
  }
}
