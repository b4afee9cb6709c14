// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Hold;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.event.ClientTimeout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends the responses of one operation to its client, under the client's messageID. Event-loop
 * confined.
 */
final class ClientSink implements ResponseSink {
  private static final int ENTRY = OpType.SEARCH_RESULT_ENTRY.tag();
  private static final int REFERENCE = OpType.SEARCH_RESULT_REFERENCE.tag();

  private static final int SUCCESS = 0;

  private final ClientConnection client;
  private final Operation operation;
  private @Nullable LargeAnswer large;

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
    countResult(LdapResult.quickCodeOf(response.body()));
    client.writer().write(operation.messageId(), response);
    end();
  }

  @Override
  public void complete(byte[] op) {
    if (!operation.ended()) {
      countResult(LdapResult.quickCodeOf(op));
      client.writer().write(operation.messageId(), op);
      end();
    }
  }

  @Override
  public void respond(LargeMessage response) {
    if (!operation.ended()) {
      large = new LargeAnswer(response, false);
    }
  }

  @Override
  public void complete(LargeMessage response) {
    if (!operation.ended()) {
      large = new LargeAnswer(response, true);
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
    if (large != null) {
      large.abandoned();
    }
  }

  @Override
  public boolean restart() {
    return !operation.ended() && operation.state() != OperationState.STREAMING;
  }

  @Override
  public boolean congested() {
    return client.room().congested();
  }

  @Override
  public boolean full() {
    return client.room().full();
  }

  @Override
  public boolean hold(Hold hold) {
    boolean may = mayHold(hold);
    if (may) {
      client.room().whenReady(client.room().holding(hold));
      client.progress().watchHold();
    }
    return may;
  }

  /** Others are never held up: the client has taken its answers by then, or is disconnected. */
  private boolean mayHold(Hold hold) {
    boolean over = hold.others() ? client.room().overfull() : client.progress().mayNotHold(hold);
    if (over) {
      client.timedOut(ClientTimeout.WRITE);
    }
    return !over && !hold.others();
  }

  @Override
  public void whenReady(Runnable action) {
    client.room().whenReady(action);
  }

  private void count(int tag) {
    if (tag == ENTRY) {
      client.listener().entriesSent(1);
    } else if (tag == REFERENCE) {
      client.listener().referencesSent(1);
    } else {
      client.listener().otherSent();
    }
  }

  private void countResult(int code) {
    if (code != SUCCESS) {
      client.listener().failed(operation.type(), code);
    }
  }

  /** If there was no memory for the answer the client has gone. */
  private void end() {
    if (!operation.ended()) {
      operation.moveTo(OperationState.COMPLETED);
      client.completed(operation);
    }
  }

  /**
   * A message that goes out in pieces. Once begun it must be completed, whatever becomes of the
   * operation, or the connection ends: there is no other way to go on. Event-loop confined.
   */
  private final class LargeAnswer implements LargeMessage.Reader {
    private final LargeMessage message;
    private final boolean last;
    private final List<ByteBuf> early = new ArrayList<>(0);
    private @Nullable Runnable ready;
    private boolean begun;
    private boolean complete;
    private boolean cut;

    LargeAnswer(LargeMessage message, boolean last) {
      this.message = message;
      this.last = last;
      message.readBy(this);
      if (client.writer().midMessage()) {
        client.room().awaitTurn(this::begin);
      } else {
        begin();
      }
    }

    /** Takes its turn; false if it does not need it any more. */
    private boolean begin() {
      begun = wanted();
      if (begun) {
        operation.moveTo(OperationState.STREAMING);
        if (!last) {
          count(message.type().tag());
        }
        client.writer().begin(operation.messageId(), message.bodyLength());
        early.forEach(client.writer()::piece);
        early.clear();
      }
      letGo();
      if (begun && complete) {
        end();
      }
      return begun;
    }

    /** What waited for the turn waits no more. */
    private void letGo() {
      early.forEach(ByteBuf::release);
      early.clear();
      Runnable action = ready;
      ready = null;
      if (action != null) {
        action.run();
      }
    }

    void abandoned() {
      if (!begun) {
        letGo();
      }
    }

    @Override
    public void piece(ByteBuf piece) {
      if (!wanted()) {
        piece.release();
      } else if (begun) {
        client.writer().piece(piece);
      } else {
        early.add(piece);
      }
    }

    @Override
    public void end() {
      complete = true;
      if (begun && client.open()) {
        client.writer().end();
        if (last) {
          ClientSink.this.end();
        }
        client.messageEnded();
      }
    }

    @Override
    public void cutOff() {
      cut = true;
      if (!begun) {
        letGo();
      } else if (client.open()) {
        cutShort();
      }
    }

    /** The rest will never come, and nothing can follow what was written of it. */
    private void cutShort() {
      Rejection reason = Rejection.RESULT_CUT;
      client.listener().rejected(operation.type(), reason);
      RefusalLog.disconnected(client, reason.name(), "an answer of several MB was cut short");
      client.close();
    }

    @Override
    public boolean wanted() {
      return client.open() && (begun || !(cut || operation.ended()));
    }

    @Override
    public boolean congested() {
      return wanted() && !(begun && client.channel().isWritable());
    }

    /** A message that waits for its turn is not counted as written. */
    @Override
    public boolean full() {
      return congested() && (!begun || client.room().full());
    }

    @Override
    public boolean hold(Hold hold) {
      if (!begun) {
        ready = client.room().holding(hold);
      } else if (mayHold(hold)) {
        client.room().whenMoreMayFollow(client.room().holding(hold));
      } else {
        return false;
      }
      client.progress().watchHold();
      return true;
    }
  }
}
