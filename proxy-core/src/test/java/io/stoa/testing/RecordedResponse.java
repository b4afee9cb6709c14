// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Response;
import io.stoa.ldap.protocol.ResponseControls;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import java.util.List;
import java.util.function.Consumer;

/**
 * The sink of a client's operation. It ends the operation and records the end as text: the result
 * code, the name of a rejection, or {@code abandoned}.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class RecordedResponse extends InternalSink {
  public static final String OPEN = "open";
  public static final String ABANDONED = "abandoned";

  private final Operation operation;
  private final Consumer<String> onEnd;
  private String outcome = OPEN;
  private int parts;
  private List<Control> controls = List.of();
  private boolean holds;

  public RecordedResponse(Operation operation, Consumer<String> onEnd) {
    super(operation);
    this.operation = operation;
    this.onEnd = onEnd;
  }

  /** Returns how the operation has ended; {@link #OPEN} if it has not. */
  public String outcome() {
    return outcome;
  }

  /** Returns the number of entries, references and intermediate responses. */
  public int parts() {
    return parts;
  }

  /** Returns the controls of the final response. */
  public List<Control> controls() {
    return controls;
  }

  /** Makes a retry possible after a part of the answer, as if the parts were held here. */
  public void hold() {
    holds = true;
  }

  @Override
  public void respond(Response response) {
    response.release();
    parts++;
    if (!holds) {
      operation.moveTo(OperationState.STREAMING);
    }
  }

  @Override
  public void complete(Response response) {
    finish(Integer.toString(LdapResult.quickCodeOf(response)));
    if (response instanceof LdapMessage message && message.hasControls()) {
      controls = decode(message);
    }
    response.release();
  }

  private static List<Control> decode(LdapMessage response) {
    try {
      return ResponseControls.decode(response);
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void reject(Rejection reason) {
    finish(reason.name());
  }

  private void finish(String how) {
    if (end()) {
      record(how);
    }
  }

  private void record(String how) {
    outcome = how;
    onEnd.accept(how);
  }

  @Override
  public void onAbandoned() {
    record(ABANDONED);
  }

  @Override
  public boolean restart() {
    return operation.state() != OperationState.STREAMING && super.restart();
  }
}
