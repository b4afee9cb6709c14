// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.OpType;
import org.jspecify.annotations.Nullable;

/**
 * A message of a server that is too large to be collected: its head is known, and its body goes to
 * its reader as it arrives. A body that nobody reads is discarded. Event-loop confined.
 */
public final class LargeMessage {
  private final LdapMessage.Head head;
  private @Nullable Reader reader;
  private int missing;

  /** Makes the message of which only the head has arrived. */
  public LargeMessage(LdapMessage.Head head) {
    this.head = head;
    this.missing = head.bodyLength();
  }

  /** Where the body of a large message goes. Called on the event loop of the operation only. */
  public interface Reader {
    /** The next octets of the body. Takes ownership. */
    void piece(ByteBuf piece);

    /** The body is complete. */
    void end();

    /** The rest of the body will never come. */
    void cutOff();

    /** Whether anybody still wants the rest. */
    boolean wanted();

    /** Whether what is handed in now piles up. */
    boolean congested();

    /** Runs the action once, as soon as the reader is no longer congested. */
    void whenReady(Runnable action);
  }

  /** The protocolOp. */
  public OpType type() {
    return head.type();
  }

  /** Octets of the protocolOp, header included. */
  public int opLength() {
    return head.opLength();
  }

  /** Octets of the protocolOp and the controls. */
  public int bodyLength() {
    return head.bodyLength();
  }

  /** Whoever wants the body says so before it begins to arrive. */
  public void readBy(Reader taker) {
    reader = taker;
  }

  // What the side says from which it comes

  /** The next octets have arrived. Takes ownership. */
  public void receive(ByteBuf piece) {
    missing -= piece.readableBytes();
    if (reader == null) {
      piece.release();
    } else {
      reader.piece(piece);
      if (missing == 0) {
        reader.end();
      }
    }
  }

  /** The rest will never arrive. */
  public void cutOff() {
    if (reader != null) {
      reader.cutOff();
    }
  }

  /** Octets of the body that have not arrived. */
  public int missing() {
    return missing;
  }

  /** Whether anybody still wants the rest. */
  public boolean wanted() {
    return reader != null && reader.wanted();
  }

  /** Whether what arrives now piles up. */
  public boolean congested() {
    return reader != null && reader.congested();
  }

  /** Runs the action once, as soon as the reader is no longer congested. */
  public void whenReady(Runnable action) {
    if (reader == null) {
      action.run();
    } else {
      reader.whenReady(action);
    }
  }
}
