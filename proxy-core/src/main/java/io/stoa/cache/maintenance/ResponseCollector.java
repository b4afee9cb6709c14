// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import io.stoa.ldap.filter.Answers;
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
 * Takes the answer to something that is asked again. One that is too large, or is not made of
 * entries alone, is of no use, and given up. Event-loop confined.
 */
final class ResponseCollector extends InternalSink {
  private static final int SUCCESS = 0;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int MOST_OCTETS = 4 << 20;

  private final Operation operation;
  private final Consumer<@Nullable Answers> outcome;
  private final List<byte[]> entries = new ArrayList<>();
  private int octets;
  private boolean told;

  /**
   * Makes the sink of an operation.
   *
   * @param outcome hears the answer once; null if there is none that is of use
   */
  ResponseCollector(Operation operation, Consumer<@Nullable Answers> outcome) {
    super(operation);
    this.operation = operation;
    this.outcome = outcome;
  }

  /** For one that is not sent. */
  static ResponseCollector nothing(Operation operation) {
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
      tell(answer(LdapResult.codeOf(op)));
    }
  }

  /** Null if it says nothing of what the client may see: the server may be busy, or the like. */
  private @Nullable Answers answer(int code) {
    if (code != SUCCESS && code != NO_SUCH_OBJECT) {
      return null;
    }
    try {
      return Answers.of(code, entries);
    } catch (LdapProtocolException e) {
      return null; // what is no entry is compared with nothing
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
      tell(null);
    }
  }

  @Override
  public void abandoned() {
    tell(null);
  }

  private void tell(@Nullable Answers answer) {
    if (!told) {
      told = true;
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
