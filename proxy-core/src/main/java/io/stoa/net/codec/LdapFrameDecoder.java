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
 * Splits received octets into {@link LdapMessage}s. The receiver of a message owns it.
 *
 * <p>A message larger than {@code maxCollected} is delivered in parts: an {@link LdapMessage.Head}
 * first, then its body as {@link ByteBuf}s, as it arrives.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>The first frame that is not LDAP, or is too large, is reported once through {@code
 *       exceptionCaught}, as an {@link LdapProtocolException}.
 *   <li>All later octets are discarded, since they cannot be trusted. The receiver of the exception
 *       must close the connection.
 *   <li>A length is compared with the limit as soon as it is known. Memory is never allocated for a
 *       claimed length: the buffer grows with the octets received.
 * </ol>
 *
 * <p>Threading: event loop.
 */
public final class LdapFrameDecoder extends ByteToMessageDecoder {
  private final int maxCollected;
  private int maxFrameSize;
  private int missing;
  private boolean failed;
  private long octets;
  private BooleanSupplier takeoverCheck = () -> false;
  private IntConsumer unfinished = held -> {};
  private int reportedOctets;
  private boolean reading;
  private boolean timed;
  private long readNanos;

  /**
   * Creates a decoder that delivers every message as a whole.
   *
   * @param maxFrameSize maximum size of an LDAPMessage in octets, header included
   */
  public LdapFrameDecoder(int maxFrameSize) {
    this(maxFrameSize, Integer.MAX_VALUE);
  }

  /**
   * Creates a decoder that delivers large messages in parts.
   *
   * @param maxFrameSize maximum size of an LDAPMessage in octets, header included
   * @param maxCollected maximum size in octets of a message that is delivered as a whole
   */
  public LdapFrameDecoder(int maxFrameSize, int maxCollected) {
    this.maxFrameSize = maxFrameSize;
    this.maxCollected = Math.max(maxCollected, LdapMessage.Head.MAX_OCTETS);
  }

  /**
   * Sets the limit for all following messages, including those whose octets have already been
   * received.
   */
  public void setMaxFrameSize(int octets) {
    maxFrameSize = octets;
  }

  /** Returns the maximum size of a message that is accepted now, in octets, header included. */
  public int maxFrameSize() {
    return maxFrameSize;
  }

  /**
   * Sets the takeover check. The decoder calls it when the octet at the start of a message is not
   * that of an LDAPMessage. The check returns true if it has replaced this handler. Otherwise the
   * octet is a protocol error.
   */
  public void setTakeoverCheck(BooleanSupplier takeover) {
    takeoverCheck = takeover;
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
    reading = true;
    timed = false;
    try {
      super.channelRead(context, message);
    } finally {
      reading = false;
    }
    int now = isMidFrame() ? internalBuffer().capacity() : 0;
    if (now > 0 || reportedOctets > 0) {
      reportedOctets = now;
      unfinished.accept(now);
    }
  }

  /**
   * Returns the time of receipt of the message that is being delivered, as {@link System#nanoTime}.
   * The messages of one read have one time, after the octets of all of them had arrived. Outside a
   * read the result is the present time.
   */
  public long receivedNanos() {
    if (!reading) {
      return System.nanoTime();
    }
    if (!timed) {
      timed = true;
      readNanos = System.nanoTime();
    }
    return readNanos;
  }

  /** Returns the octets of messages received since the last call. */
  public long takeOctets() {
    long count = octets;
    octets = 0;
    return count;
  }

  /** True if a message has begun to arrive and is not complete. */
  public boolean isMidFrame() {
    return !failed && (missing > 0 || actualReadableBytes() > 0);
  }

  /**
   * Zeroes and drops received octets that are not a message yet. May be called by the receiver of a
   * message.
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
    if (failed) {
      in.skipBytes(in.readableBytes());
    }
    if (!in.isReadable()) {
      return; // the receiver of the last message has discarded the rest
    }
    if (missing == 0
        && in.getByte(in.readerIndex()) != BerReader.SEQUENCE
        && takeoverCheck.getAsBoolean()) {
      return; // the remaining octets go to the handler that has replaced this one
    }
    try {
      int length = missing > 0 ? missing : frameLength(in);
      if (missing > 0 || length > maxCollected) {
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
    } else if (in.readableBytes() >= LdapMessage.Head.MAX_OCTETS) {
      LdapMessage.Head head = LdapMessage.Head.read(in, length);
      missing = head.bodyLength();
      out.add(head);
    }
  }

  /**
   * Reports the error as the last step: the receiver may close the connection at once, which
   * releases the buffer.
   */
  private void reject(ChannelHandlerContext context, ByteBuf in, LdapProtocolException reason) {
    failed = true;
    in.skipBytes(in.readableBytes());
    context.fireExceptionCaught(reason);
  }

  /**
   * Returns the size in octets of the message that begins here, or -1 if its header is incomplete.
   */
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
