// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Response;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A message of a server that is too large to be collected. Its head is known, and its body goes to
 * a reader as it arrives. A body without a reader is discarded.
 *
 * <p>Threading: event loop.
 */
public final class LargeMessage implements Response {
  private final LdapMessage.Head head;
  private @Nullable Reader reader;
  private int missing;

  /** Creates the message when its head has arrived. */
  public LargeMessage(LdapMessage.Head head) {
    this.head = head;
    this.missing = head.bodyLength();
  }

  /** Receives the body of a large message. Called only on the event loop of the operation. */
  public interface Reader {
    /** Receives the next octets of the body. Takes ownership. */
    void onPiece(ByteBuf piece);

    /** Called when the body is complete. */
    void onEnd();

    /** Called when the rest of the body will never arrive. */
    void onCutOff();

    /** True if the rest is still wanted. */
    boolean isWanted();

    /** True if further octets pile up. False for a reader that keeps them itself. */
    default boolean isCongested() {
      return false;
    }

    /**
     * True if the reader's buffer has reached its limit. A higher limit applies where pausing would
     * keep other clients waiting.
     */
    default boolean isFull() {
      return false;
    }

    /** Pauses reading from the server, as {@link ResponseSink#hold} does. */
    default boolean hold(Hold hold) {
      return false;
    }
  }

  @Override
  public OpType type() {
    return head.type();
  }

  /** Returns the octets of the protocolOp, header included. */
  public int opLength() {
    return head.opLength();
  }

  /** Returns the octets of the protocolOp and the controls. */
  public int bodyLength() {
    return head.bodyLength();
  }

  /** Sets the reader. Called before the body begins to arrive. */
  public void readBy(Reader newReader) {
    reader = newReader;
  }

  // Methods for the receiving side

  /** Called when the next octets have arrived. Takes ownership. */
  public void receive(ByteBuf piece) {
    missing -= piece.readableBytes();
    if (reader == null) {
      piece.release();
    } else {
      reader.onPiece(piece);
      if (missing == 0) {
        reader.onEnd();
      }
    }
  }

  /** Called when the rest will never arrive. */
  public void cutOff() {
    if (reader != null) {
      reader.onCutOff();
    }
  }

  /** Returns the octets of the body that have not arrived. */
  public int missing() {
    return missing;
  }

  /** True if the rest is still wanted. */
  public boolean isWanted() {
    return reader != null && reader.isWanted();
  }

  /** True if further octets pile up. */
  public boolean isCongested() {
    return reader != null && reader.isCongested();
  }

  /**
   * True if the reader's buffer has reached its limit. A higher limit applies where pausing would
   * keep other clients waiting.
   */
  public boolean isFull() {
    return reader != null && reader.isFull();
  }

  /** Pauses reading from the server, as {@link ResponseSink#hold} does. */
  public boolean hold(Hold hold) {
    return reader != null && reader.hold(hold);
  }

  /**
   * Reads the name of a large entry before the entry is passed on. Octets are held until the name
   * is complete.
   *
   * <p>Threading: event loop.
   */
  public static final class Named implements Reader {
    /** Maximum octets of a name: 64 KiB. A longer name counts as none. */
    private static final int MAX = 64 * 1024;

    private static final int LONG_FORM = 0x80;
    private static final int OCTET = 0xFF;
    private static final int OCTET_BITS = 8;

    private final LargeMessage entry;
    private final ResponseSink next;
    private final Predicate<byte[]> passes;
    private final List<ByteBuf> pieces = new ArrayList<>();
    private @Nullable LargeMessage passed;
    private boolean dropped;

    private Named(LargeMessage entry, ResponseSink next, Predicate<byte[]> passes) {
      this.entry = entry;
      this.next = next;
      this.passes = passes;
    }

    /**
     * Passes on an entry that has just begun, or drops it.
     *
     * @param passes true for the name of an entry that is passed on; the name is empty if there is
     *     none
     */
    public static void pass(LargeMessage entry, ResponseSink next, Predicate<byte[]> passes) {
      entry.readBy(new Named(entry, next, passes));
    }

    @Override
    public void onPiece(ByteBuf piece) {
      if (passed != null) {
        passed.receive(piece);
      } else if (dropped) {
        piece.release();
      } else {
        pieces.add(piece);
        decide();
      }
    }

    private void decide() {
      byte[] start = start();
      byte[] name = name(start);
      boolean last = start.length >= MAX || entry.missing() == 0;
      if (name != null) {
        decideByName(name);
      } else if (last) {
        decideByName(new byte[0]);
      }
    }

    private byte[] start() {
      byte[] start = new byte[pieces.stream().mapToInt(ByteBuf::readableBytes).sum()];
      int index = 0;
      for (ByteBuf piece : pieces) {
        int length = piece.readableBytes();
        piece.getBytes(piece.readerIndex(), start, index, length);
        index += length;
      }
      return start;
    }

    /**
     * Returns the first element of the protocolOp (RFC 4511, section 4.5.2); null if it is not
     * complete.
     */
    private static byte @Nullable [] name(byte[] start) {
      int element = content(start, 0);
      int name = content(start, element);
      if (name > start.length) {
        return null;
      }
      long end = name + length(start, element);
      return end > start.length ? null : Arrays.copyOfRange(start, name, (int) end);
    }

    /** Returns the start of an element's content; a value beyond the end if it has not arrived. */
    private static int content(byte[] octets, int element) {
      if (element + 1 >= octets.length) {
        return Integer.MAX_VALUE - 1;
      }
      int first = octets[element + 1] & OCTET;
      return element + 2 + (first < LONG_FORM ? 0 : first - LONG_FORM);
    }

    private static long length(byte[] octets, int element) {
      int first = octets[element + 1] & OCTET;
      long length = first < LONG_FORM ? first : 0;
      for (int i = 0; i < first - LONG_FORM && length <= MAX; i++) {
        length = length << OCTET_BITS | (octets[element + 2 + i] & OCTET);
      }
      return length;
    }

    private void decideByName(byte[] name) {
      if (passes.test(name)) {
        LargeMessage passedMessage = new LargeMessage(entry.head);
        passed = passedMessage;
        next.respond(passedMessage);
        pieces.forEach(passedMessage::receive);
        pieces.clear();
      } else {
        drop();
      }
    }

    private void drop() {
      dropped = true;
      pieces.forEach(ByteBuf::release);
      pieces.clear();
    }

    @Override
    public void onEnd() {
      // The message to which the octets are passed finds its end by itself.
    }

    @Override
    public void onCutOff() {
      if (passed != null) {
        passed.cutOff();
      } else {
        drop();
      }
    }

    @Override
    public boolean isWanted() {
      return passed == null ? !dropped : passed.isWanted();
    }

    @Override
    public boolean isCongested() {
      return passed != null && passed.isCongested();
    }

    @Override
    public boolean isFull() {
      return passed != null && passed.isFull();
    }

    @Override
    public boolean hold(Hold hold) {
      return passed != null && passed.hold(hold);
    }
  }
}
