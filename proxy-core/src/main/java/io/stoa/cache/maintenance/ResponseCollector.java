// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.InternalSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects the answer to a request of the proxy's own. The request is abandoned if the answer is
 * too large or has other parts than entries.
 *
 * <p>Threading: event-loop confined.
 */
final class ResponseCollector extends InternalSink {
  private static final int SUCCESS = 0;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int MOST_OCTETS = 4 << 20;

  private final Operation operation;
  private final Consumer<@Nullable ResponseContents> outcome;
  private final List<byte[]> entries = new ArrayList<>();
  private int octets;
  private boolean reported;

  /**
   * Creates the sink of an operation.
   *
   * @param outcome called once with the answer; null if there is no usable one
   */
  ResponseCollector(Operation operation, Consumer<@Nullable ResponseContents> outcome) {
    super(operation);
    this.operation = operation;
    this.outcome = outcome;
  }

  /** Returns the sink of an operation that is not sent. */
  static ResponseCollector discarding(Operation operation) {
    return new ResponseCollector(operation, answer -> {});
  }

  @Override
  public void respond(LdapMessage response) {
    if (response.type() == OpType.SEARCH_RESULT_ENTRY) {
      respond(response.copyOp());
    } else {
      operation.abandon();
    }
    response.release();
  }

  @Override
  public void respond(byte[] op) {
    octets += op.length;
    if (octets > MOST_OCTETS) {
      operation.abandon();
    } else {
      entries.add(op);
    }
  }

  @Override
  public void respond(LargeMessage response) {
    operation.abandon();
  }

  @Override
  public void complete(LdapMessage response) {
    byte[] done = response.copyOp();
    response.release();
    complete(done);
  }

  @Override
  public void complete(byte[] op) {
    if (end()) {
      report(answer(LdapResult.codeOf(op)));
    }
  }

  /**
   * Returns the answer; null if the result code, such as busy, says nothing about the client's
   * rights.
   */
  private @Nullable ResponseContents answer(int code) {
    if (code != SUCCESS && code != NO_SUCH_OBJECT) {
      return null;
    }
    try {
      return ResponseContents.of(code, entries);
    } catch (LdapProtocolException e) {
      return null; // a malformed entry cannot be compared
    }
  }

  @Override
  public void complete(LargeMessage response) {
    refused();
  }

  @Override
  public void reject(Rejection reason) {
    refused();
  }

  private void refused() {
    if (end()) {
      report(null);
    }
  }

  @Override
  public void abandoned() {
    report(null);
  }

  private void report(@Nullable ResponseContents answer) {
    if (!reported) {
      reported = true;
      outcome.accept(answer);
    }
  }

  @Override
  public boolean restart() {
    entries.clear();
    octets = 0;
    return super.restart();
  }
}
