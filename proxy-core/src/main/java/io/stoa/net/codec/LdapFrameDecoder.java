// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.ProtocolError;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Cuts received octets into {@link LdapMessage}s. Whoever gets a message owns it.
 *
 * <p>A message that is larger than is collected comes in parts: an {@link LdapMessage.Head}, and
 * then its body as {@link ByteBuf}s, as it arrives.
 *
 * <p>The first thing that is not LDAP, or larger than allowed, is reported once as an {@link
 * LdapProtocolException} through {@code exceptionCaught}; no later octet can be trusted, so all of
 * them are discarded until the connection is closed, which is the receiver's part. A claimed length
 * is compared with the limit as soon as it is known and never allocated for: the buffer grows with
 * what was received.
 *
 * <p>Event-loop confined.
 */
public final class LdapFrameDecoder extends ByteToMessageDecoder {
  private final int mostCollected;
  private int maxFrameSize;
  private int missing;
  private boolean bad;
  private long octets;
  private BooleanSupplier otherwise = () -> false;
  private IntConsumer unfinished = held -> {};
  private int held;

  /**
   * Collects every message.
   *
   * @param maxFrameSize octets of the largest LDAPMessage, header included
   */
  public LdapFrameDecoder(int maxFrameSize) {
    this(maxFrameSize, Integer.MAX_VALUE);
  }

  /**
   * @param maxFrameSize octets of the largest LDAPMessage, header included
   * @param mostCollected octets of the largest that is collected
   */
  public LdapFrameDecoder(int maxFrameSize, int mostCollected) {
    this.maxFrameSize = maxFrameSize;
    this.mostCollected = Math.max(mostCollected, LdapMessage.Head.MOST_OCTETS);
  }

  /** Holds from the next message on, also for messages that were received already. */
  public void maxFrameSize(int octets) {
    maxFrameSize = octets;
  }

  /** Octets of the largest message that is accepted now, header included. */
  public int maxFrameSize() {
    return maxFrameSize;
  }

  /**
   * What is asked where the next message should begin and something else does: whether it has been
   * taken over, and this handler replaced. If not, it is an error.
   */
  public void otherwise(BooleanSupplier takeover) {
    otherwise = takeover;
  }

  /**
   * Registers a callback for the memory of unfinished messages. The callback runs after each read
   * that leaves an unfinished message or ends one. Its argument is in octets; 0 if none is left.
   */
  public void onUnfinished(IntConsumer callback) {
    unfinished = callback;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    super.channelRead(context, message);
    int now = isMidFrame() ? internalBuffer().capacity() : 0;
    if (now > 0 || held > 0) {
      held = now;
      unfinished.accept(now);
    }
  }

  /** Octets of messages received since this was last asked. */
  public long takeOctets() {
    long taken = octets;
    octets = 0;
    return taken;
  }

  /** Whether a message has begun to arrive and is not complete. */
  public boolean isMidFrame() {
    return !bad && (missing > 0 || actualReadableBytes() > 0);
  }

  /**
   * Zeroes and forgets what was received and is not a message yet. Allowed while a message is being
   * received.
   */
  public void discard() {
    ByteBuf rest = internalBuffer();
    if (rest.isReadable()) {
      rest.setZero(rest.readerIndex(), rest.readableBytes());
      rest.skipBytes(rest.readableBytes());
    }
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (bad) {
      in.skipBytes(in.readableBytes());
    }
    if (!in.isReadable()) {
      return; // or the receiver of the last message had the rest discarded
    }
    if (missing == 0
        && in.getByte(in.readerIndex()) != BerReader.SEQUENCE
        && otherwise.getAsBoolean()) {
      return; // what is left goes to the handler that has replaced this one
    }
    try {
      int length = missing > 0 ? missing : frameLength(in);
      if (missing > 0 || length > mostCollected) {
        decodePart(in, length, out);
      } else if (length > 0 && length <= in.readableBytes()) {
        octets += length;
        out.add(LdapMessage.parse(in.readRetainedSlice(length)));
      }
    } catch (LdapProtocolException e) {
      reject(context, in, e);
    }
  }

  private void decodePart(ByteBuf in, int length, List<Object> out) throws LdapProtocolException {
    if (missing > 0) {
      int size = Math.min(missing, in.readableBytes());
      missing -= size;
      octets += size;
      out.add(in.readRetainedSlice(size));
    } else if (in.readableBytes() >= LdapMessage.Head.MOST_OCTETS) {
      LdapMessage.Head head = LdapMessage.Head.read(in, length);
      missing = head.bodyLength();
      out.add(head);
    }
  }

  /** The receiver may close the connection at once, and the buffer with it: that comes last. */
  private void reject(ChannelHandlerContext context, ByteBuf in, LdapProtocolException reason) {
    bad = true;
    in.skipBytes(in.readableBytes());
    context.fireExceptionCaught(reason);
  }

  /** Octets of the message that begins here, or -1 if that is not known yet. */
  private int frameLength(ByteBuf in) throws LdapProtocolException {
    int start = in.readerIndex();
    if (in.getByte(start) != BerReader.SEQUENCE) {
      throw LdapProtocolException.of(ProtocolError.BAD_ENVELOPE);
    }
    long header = BerReader.header(in, start + 1, in.writerIndex());
    if (header < 0) {
      return checkHeader(header);
    }
    int length = BerReader.length(header);
    int headerLength = 1 + BerReader.lengthOctets(header);
    if (length > maxFrameSize - headerLength) {
      throw LdapProtocolException.of(ProtocolError.FRAME_TOO_LARGE);
    }
    return headerLength + length;
  }

  private static int checkHeader(long header) throws LdapProtocolException {
    if (header == BerReader.INCOMPLETE) {
      return -1;
    }
    throw LdapProtocolException.of(
        header == BerReader.INDEFINITE
            ? ProtocolError.INDEFINITE_LENGTH
            : ProtocolError.FRAME_TOO_LARGE);
  }
}
