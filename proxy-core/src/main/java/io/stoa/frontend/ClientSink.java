// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.OpType;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;

/**
 * Sends the responses of one operation to its client, under the client's messageID. Event-loop
 * confined.
 */
final class ClientSink implements ResponseSink {
  private static final int ENTRY = OpType.SEARCH_RESULT_ENTRY.tag();
  private static final int REFERENCE = OpType.SEARCH_RESULT_REFERENCE.tag();

  private final ClientConnection client;
  private final Operation operation;

  ClientSink(ClientConnection client, Operation operation) {
    this.client = client;
    this.operation = operation;
  }

  @Override
  public void respond(LdapMessage response) {
    if (operation.ended()) {
      response.release();
      return;
    }
    operation.moveTo(OperationState.STREAMING);
    count(response.type().tag());
    client.writer().write(operation.messageId(), response);
  }

  @Override
  public void respond(byte[] op) {
    if (!operation.ended()) {
      operation.moveTo(OperationState.STREAMING);
      count(op[0] & 0xff);
      client.writer().write(operation.messageId(), op);
    }
  }

  @Override
  public void complete(LdapMessage response) {
    if (operation.ended()) {
      response.release();
      return;
    }
    client.writer().write(operation.messageId(), response);
    end();
  }

  @Override
  public void complete(byte[] op) {
    if (!operation.ended()) {
      client.writer().write(operation.messageId(), op);
      end();
    }
  }

  @Override
  public void reject(Rejection reason) {
    if (!operation.ended()) {
      OpType response = operation.type().response();
      client.listener().rejected(operation.type(), reason);
      if (reason.limit()) {
        RefusalLog.refused(client, operation.type(), reason);
      }
      complete(LdapResult.encode(response, reason.resultCode(), reason.diagnostic()));
    }
  }

  @Override
  public void abandoned() {
    // The client said so, or has gone.
  }

  @Override
  public boolean restart() {
    return !operation.ended() && operation.state() != OperationState.STREAMING;
  }

  @Override
  public boolean congested() {
    return client.congested();
  }

  @Override
  public void whenReady(Runnable action) {
    client.whenWritable(action);
  }

  private void count(int tag) {
    if (tag == ENTRY) {
      client.listener().entriesSent(1);
    } else if (tag == REFERENCE) {
      client.listener().referencesSent(1);
    }
  }

  private void end() {
    operation.moveTo(OperationState.COMPLETED);
    client.completed(operation);
  }
}
