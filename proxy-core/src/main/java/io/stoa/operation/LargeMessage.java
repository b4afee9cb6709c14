// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
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

    /** True if as much waits for the reader as may while no other client has to wait for that. */
    boolean full();

    /** The same as {@link ResponseSink#hold}. */
    boolean hold(Hold hold);
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

  /** True if as much waits for the reader as may while no other client has to wait for that. */
  public boolean full() {
    return reader != null && reader.full();
  }

  /** The same as {@link ResponseSink#hold}. */
  public boolean hold(Hold hold) {
    return reader != null && reader.hold(hold);
  }

  /**
   * Reads the name of a large entry before it is passed on: until the name is there, what arrives
   * is held. Event-loop confined.
   */
  public static final class Named implements Reader {
    /** A name that goes on for longer is taken for none. */
    private static final int MOST = 64 * 1024;

    private static final int LONG_FORM = 0x80;
    private static final int OCTET = 0xFF;
    private static final int OCTET_BITS = 8;

    private final LargeMessage entry;
    private final ResponseSink next;
    private final Predicate<byte[]> passes;
    private final List<ByteBuf> held = new ArrayList<>();
    private @Nullable LargeMessage passed;
    private boolean dropped;

    private Named(LargeMessage entry, ResponseSink next, Predicate<byte[]> passes) {
      this.entry = entry;
      this.next = next;
      this.passes = passes;
    }

    /**
     * Passes an entry on that has just begun, or drops it.
     *
     * @param passes whether the entry of that name is passed on; the name is empty if there is none
     */
    public static void pass(LargeMessage entry, ResponseSink next, Predicate<byte[]> passes) {
      entry.readBy(new Named(entry, next, passes));
    }

    @Override
    public void piece(ByteBuf piece) {
      if (passed != null) {
        passed.receive(piece);
      } else if (dropped) {
        piece.release();
      } else {
        held.add(piece);
        decide();
      }
    }

    private void decide() {
      byte[] start = start();
      byte[] name = name(start);
      boolean last = start.length >= MOST || entry.missing() == 0;
      if (name != null) {
        settle(name);
      } else if (last) {
        settle(new byte[0]);
      }
    }

    private byte[] start() {
      byte[] start = new byte[held.stream().mapToInt(ByteBuf::readableBytes).sum()];
      int index = 0;
      for (ByteBuf piece : held) {
        int length = piece.readableBytes();
        piece.getBytes(piece.readerIndex(), start, index, length);
        index += length;
      }
      return start;
    }

    /** The first element within the protocolOp (RFC 4511, section 4.5.2); null if not all there. */
    private static byte @Nullable [] name(byte[] start) {
      int element = content(start, 0);
      int name = content(start, element);
      if (name > start.length) {
        return null;
      }
      long end = name + length(start, element);
      return end > start.length ? null : Arrays.copyOfRange(start, name, (int) end);
    }

    /** Where the content of an element begins; beyond the end if that is not there yet. */
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
      for (int i = 0; i < first - LONG_FORM && length <= MOST; i++) {
        length = length << OCTET_BITS | (octets[element + 2 + i] & OCTET);
      }
      return length;
    }

    private void settle(byte[] name) {
      if (passes.test(name)) {
        LargeMessage again = new LargeMessage(entry.head);
        passed = again;
        next.respond(again);
        held.forEach(again::receive);
        held.clear();
      } else {
        drop();
      }
    }

    private void drop() {
      dropped = true;
      held.forEach(ByteBuf::release);
      held.clear();
    }

    @Override
    public void end() {
      // What it is passed to counts by itself.
    }

    @Override
    public void cutOff() {
      if (passed != null) {
        passed.cutOff();
      } else {
        drop();
      }
    }

    @Override
    public boolean wanted() {
      return passed == null ? !dropped : passed.wanted();
    }

    @Override
    public boolean congested() {
      return passed != null && passed.congested();
    }

    @Override
    public boolean full() {
      return passed != null && passed.full();
    }

    @Override
    public boolean hold(Hold hold) {
      return passed != null && passed.hold(hold);
    }
  }
}
