// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.OpType;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes the answer to a base search of Stoa's own: the entry, or null if it could not be read.
 * Event-loop confined.
 */
public final class EntrySink implements ResponseSink {
  private static final int MOST_OCTETS = 16 * 1024 * 1024;

  private final Operation operation;
  private final Consumer<byte @Nullable []> outcome;
  private byte @Nullable [] entry;

  /** Makes the sink of an operation; the outcome is told once. */
  public EntrySink(Operation operation, Consumer<byte @Nullable []> outcome) {
    this.operation = operation;
    this.outcome = outcome;
  }

  @Override
  public void respond(LdapMessage response) {
    if (response.type() == OpType.SEARCH_RESULT_ENTRY) {
      respond(response.copyOp());
    }
    response.release();
  }

  @Override
  public void respond(byte[] op) {
    entry = op;
  }

  @Override
  public void complete(LdapMessage response) {
    boolean success = LdapResult.codeOf(response.body()) == 0;
    response.release();
    end(success ? entry : null);
  }

  @Override
  public void complete(byte[] op) {
    end(LdapResult.codeOf(op) == 0 ? entry : null);
  }

  /** A schema may be that large. */
  @Override
  public void respond(LargeMessage response) {
    if (response.type() == OpType.SEARCH_RESULT_ENTRY && response.bodyLength() <= MOST_OCTETS) {
      response.readBy(new Collector(response));
    }
  }

  /** The result of a base search is never that large. */
  @Override
  public void complete(LargeMessage response) {
    end(null);
  }

  /** Collects the entry. */
  private final class Collector implements LargeMessage.Reader {
    private final ByteBuf body;
    private final int opLength;

    Collector(LargeMessage large) {
      body = Unpooled.buffer(large.bodyLength());
      opLength = large.opLength();
    }

    @Override
    public void piece(ByteBuf piece) {
      body.writeBytes(piece);
      piece.release();
    }

    @Override
    public void end() {
      respond(ByteBufUtil.getBytes(body, 0, opLength));
    }

    @Override
    public void cutOff() {
      // The operation is sent again, or refused.
    }

    @Override
    public boolean wanted() {
      return !operation.ended();
    }

    @Override
    public boolean congested() {
      return false;
    }

    @Override
    public void whenReady(Runnable action) {
      action.run();
    }
  }

  @Override
  public void reject(Rejection reason) {
    end(null);
  }

  @Override
  public void abandoned() {
    outcome.accept(null);
  }

  private void end(byte @Nullable [] found) {
    if (!operation.ended()) {
      operation.moveTo(OperationState.COMPLETED);
      outcome.accept(found);
    }
  }

  @Override
  public boolean restart() {
    entry = null;
    return !operation.ended();
  }

  @Override
  public boolean congested() {
    return false;
  }

  @Override
  public boolean full() {
    return false;
  }

  @Override
  public void whenReady(Runnable action) {
    action.run();
  }
}
