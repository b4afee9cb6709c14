// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.stoa.ldap.BerReader;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.ProtocolError;
import java.util.List;

/**
 * Cuts received octets into {@link LdapMessage}s. Whoever gets a message owns it.
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
  private int maxFrameSize;
  private boolean bad;

  /**
   * @param maxFrameSize octets of the largest LDAPMessage, header included
   */
  public LdapFrameDecoder(int maxFrameSize) {
    this.maxFrameSize = maxFrameSize;
  }

  /** Holds from the next message on, also for messages that were received already. */
  public void maxFrameSize(int octets) {
    maxFrameSize = octets;
  }

  /** Whether a message has begun to arrive and is not complete. */
  public boolean isMidFrame() {
    return !bad && actualReadableBytes() > 0;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (bad) {
      in.skipBytes(in.readableBytes());
      return;
    }
    try {
      int length = frameLength(in);
      if (length > 0) {
        out.add(LdapMessage.parse(in.readRetainedSlice(length)));
      }
    } catch (LdapProtocolException e) {
      discard(context, in, e);
    }
  }

  /** The receiver may close the connection at once, and the buffer with it: that comes last. */
  private void discard(ChannelHandlerContext context, ByteBuf in, LdapProtocolException reason) {
    bad = true;
    in.skipBytes(in.readableBytes());
    context.fireExceptionCaught(reason);
  }

  /** Octets of the message that begins here, or -1 if it is not all there. */
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
    int frameLength = headerLength + length;
    return in.readableBytes() < frameLength ? -1 : frameLength;
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
