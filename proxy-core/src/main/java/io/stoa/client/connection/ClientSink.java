// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.Hold;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientTimeout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends the responses of one operation to its client, under the client's messageID.
 *
 * <p>Threading: event loop.
 */
final class ClientSink implements ResponseSink {
  private static final int SUCCESS = 0;

  private final ClientConnection client;
  private final Operation operation;
  private @Nullable LargeResponse large;

  ClientSink(ClientConnection client, Operation operation) {
    this.client = client;
    this.operation = operation;
  }

  @Override
  public void respond(Response response) {
    if (operation.hasEnded()) {
      response.release();
    } else if (response instanceof LargeMessage message) {
      large = new LargeResponse(message, false);
    } else {
      operation.moveTo(OperationState.STREAMING);
      count(response.type());
      operation.countResponse(response.type() == OpType.SEARCH_RESULT_ENTRY, length(response));
      write(response);
    }
  }

  @Override
  public void complete(Response response) {
    if (operation.hasEnded()) {
      response.release();
    } else if (response instanceof LargeMessage message) {
      large = new LargeResponse(message, true);
    } else {
      int code = LdapResult.quickCodeOf(response);
      countResult(code);
      operation.countResponse(false, length(response));
      write(response);
      end(code);
    }
  }

  private static int length(Response response) {
    return response instanceof EncodedResponse own
        ? own.op().length
        : ((LdapMessage) response).length();
  }

  private void write(Response response) {
    if (response instanceof EncodedResponse own) {
      client.writer().write(operation.messageId(), own.op());
    } else {
      client.writer().write(operation.messageId(), (LdapMessage) response);
    }
  }

  @Override
  public void reject(Rejection reason) {
    if (!operation.hasEnded()) {
      OpType response = operation.type().response();
      client.counters().countRejection(operation.type(), reason);
      client.stalls().onRefused();
      if (reason.isLogged()) {
        RefusalLog.logRefusal(client, operation.type(), reason);
      }
      complete(LdapResult.encode(response, reason.resultCode(), reason.diagnostic()));
    }
  }

  @Override
  public void onAbandoned() {
    if (large != null) {
      large.abandoned();
    }
  }

  @Override
  public boolean restart() {
    return !operation.hasEnded() && operation.state() != OperationState.STREAMING;
  }

  @Override
  public boolean isCongested() {
    return client.outbound().isCongested();
  }

  @Override
  public boolean isFull() {
    return client.outbound().isFull();
  }

  @Override
  public boolean hold(Hold hold) {
    boolean allowed = mayHold(hold);
    if (allowed) {
      client.outbound().whenReady(client.outbound().beginHold(hold));
      client.stalls().watchHold();
    }
    return allowed;
  }

  /**
   * Decides if a server may wait until the client takes its responses. Disconnects a client that
   * has waited too long, or whose buffer is full. A wait that would delay other clients is never
   * allowed: the responses are buffered instead.
   */
  private boolean mayHold(Hold hold) {
    boolean exceeded =
        hold.others() ? client.outbound().isOverfull() : client.stalls().mayNotHold(hold);
    if (exceeded) {
      client.onTimeout(ClientTimeout.WRITE);
    }
    return !exceeded && !hold.others();
  }

  @Override
  public void whenReady(Runnable action) {
    client.outbound().whenReady(action);
  }

  private void count(OpType type) {
    if (type == OpType.SEARCH_RESULT_ENTRY) {
      client.counters().events().increment(ClientEvent.ENTRY_SENT);
    } else if (type == OpType.SEARCH_RESULT_REFERENCE) {
      client.counters().events().increment(ClientEvent.REFERENCE_SENT);
    } else {
      client.counters().events().increment(ClientEvent.OTHER_SENT);
    }
  }

  private void countResult(int code) {
    if (code != SUCCESS) {
      client.counters().countFailure(operation.type(), code);
    }
  }

  /**
   * Completes the operation. A write without memory has closed the connection, and so ended the
   * operation already.
   */
  private void end(int resultCode) {
    if (!operation.hasEnded()) {
      client.reportCompleted(operation, resultCode);
      operation.moveTo(OperationState.COMPLETED);
      client.onCompleted(operation);
    }
  }

  /**
   * A large message that is sent in pieces. Once begun, it must be completed, even if the operation
   * is abandoned. Otherwise the connection must end, because nothing else can follow on it.
   *
   * <p>Threading: event loop.
   */
  private final class LargeResponse implements LargeMessage.Reader {
    private final LargeMessage message;
    private final boolean last;
    private final List<ByteBuf> early = new ArrayList<>(0);
    private @Nullable Runnable ready;
    private boolean begun;
    private boolean complete;
    private boolean cut;

    LargeResponse(LargeMessage message, boolean last) {
      this.message = message;
      this.last = last;
      message.readBy(this);
      if (client.writer().isMidMessage()) {
        client.outbound().awaitTurn(this::begin);
      } else {
        begin();
      }
    }

    /** Begins the message at its turn; returns false if it is no longer wanted. */
    private boolean begin() {
      begun = isWanted();
      if (begun) {
        operation.moveTo(OperationState.STREAMING);
        if (!last) {
          count(message.type());
        }
        boolean entry = message.type() == OpType.SEARCH_RESULT_ENTRY;
        operation.countResponse(entry, message.bodyLength());
        client.writer().begin(operation.messageId(), message.bodyLength());
        early.forEach(client.writer()::writePiece);
        early.clear();
      }
      releaseEarly();
      if (begun && complete) {
        onEnd();
      }
      return begun;
    }

    /** Releases the pieces that wait for the turn, and resumes the server. */
    private void releaseEarly() {
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
        releaseEarly();
      }
    }

    @Override
    public void onPiece(ByteBuf piece) {
      if (!isWanted()) {
        piece.release();
      } else if (begun) {
        client.writer().writePiece(piece);
      } else {
        early.add(piece);
      }
    }

    @Override
    public void onEnd() {
      complete = true;
      if (begun && client.isOpen()) {
        client.writer().end();
        if (last) {
          ClientSink.this.end(SUCCESS);
        }
        client.onMessageEnd();
      }
    }

    @Override
    public void onCutOff() {
      cut = true;
      if (!begun) {
        releaseEarly();
      } else if (client.isOpen()) {
        disconnectAfterCut();
      }
    }

    /**
     * Ends the connection: the rest of the message will not arrive, and nothing else can follow its
     * beginning.
     */
    private void disconnectAfterCut() {
      Rejection reason = Rejection.RESULT_CUT;
      client.counters().countRejection(operation.type(), reason);
      client.accessReporter().setReason(reason.name());
      RefusalLog.logDisconnect(
          client, reason.name(), "the server cut off a response of several MB");
      client.close();
    }

    @Override
    public boolean isWanted() {
      return client.isOpen() && (begun || !(cut || operation.hasEnded()));
    }

    @Override
    public boolean isCongested() {
      return isWanted() && !(begun && client.channel().isWritable());
    }

    /** True if congested; a message that waits for its turn does not count in the buffer. */
    @Override
    public boolean isFull() {
      return isCongested() && (!begun || client.outbound().isFull());
    }

    @Override
    public boolean hold(Hold hold) {
      if (!begun) {
        ready = client.outbound().beginHold(hold);
      } else if (mayHold(hold)) {
        client.outbound().whenMoreMayFollow(client.outbound().beginHold(hold));
      } else {
        return false;
      }
      client.stalls().watchHold();
      return true;
    }
  }
}
