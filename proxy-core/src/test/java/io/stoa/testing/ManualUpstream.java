// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The last stage of a chain: it takes operations as a server would, and the test answers them.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class ManualUpstream implements Stage {
  /** A request, with its tag: an operation that has ended has no request any more. Immutable. */
  private record Taken(Operation operation, int messageId, byte[] op) {}

  private final List<Taken> open = new ArrayList<>();
  private int received;
  private boolean down;

  /** Makes the directory unreachable: requests are rejected without being sent. */
  public void stop() {
    down = true;
  }

  @Override
  public void handle(Operation operation) {
    operation.request();
    if (down) {
      operation.sink().reject(Rejection.NO_UPSTREAM);
      return;
    }
    operation.countSending();
    operation.moveTo(OperationState.FORWARDED);
    open.add(new Taken(operation, operation.messageId(), operation.message().copyOp()));
    received++;
  }

  /** Returns the number of received requests. */
  public int received() {
    return received;
  }

  /** Returns the protocolOps of the requests that are not answered, in order. */
  public List<byte[]> open() {
    return open.stream().map(Taken::op).toList();
  }

  /** Returns the oldest operation that is not answered. */
  public Operation oldest() {
    return open.get(0).operation();
  }

  /** Answers the oldest request with a result code. */
  public void answer(int code) {
    answer(Responses.result(open.get(0).op()[0] & 0xff, code));
  }

  /** Answers the oldest request with a final response. */
  public void answer(RawRequest response) {
    Taken request = open.remove(0);
    request.operation().sink().complete(message(request, response));
  }

  /** Answers the oldest request of some kind, chosen by its protocolOp. */
  public void answer(Predicate<byte[]> kind, RawRequest response) {
    Taken request = open.stream().filter(taken -> kind.test(taken.op())).findFirst().orElseThrow();
    open.remove(request);
    open.add(0, request);
    answer(response);
  }

  /** Answers all requests with success, also those that follow from the answers. */
  public void answerAll() {
    while (!open.isEmpty()) {
      answer(0);
    }
  }

  private static LdapMessage message(Taken request, RawRequest response) {
    return LdapMessage.of(request.messageId(), response.op(), List.of());
  }

  /** Answers the oldest request with a whole message. */
  public void complete(LdapMessage response) {
    open.remove(0).operation().sink().complete(response);
  }

  /** Sends an entry as a part of the answer to the oldest request. */
  public void entry(Entry entry) {
    part(Responses.entry(entry));
  }

  /** Sends a part of the answer to the oldest request. */
  public void part(RawRequest response) {
    Taken request = open.get(0);
    request.operation().sink().respond(message(request, response));
  }

  /** Loses the oldest request. */
  public void lose(Rejection reason) {
    open.remove(0).operation().sink().reject(reason);
  }
}
