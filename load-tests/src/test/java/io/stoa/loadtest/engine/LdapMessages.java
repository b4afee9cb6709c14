// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.CorruptedFrameException;
import io.stoa.ldap.protocol.BerWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * LDAP messages on a connection. Decodes the few parts of an answer that a load test needs, without
 * copying.
 *
 * <p>Threading: event loop.
 */
final class LdapMessages extends ByteToMessageDecoder {
  private static final int SEQUENCE = 0x30;
  private static final int INTEGER = 0x02;
  private static final int ENTRY = 0x64;
  private static final int REFERENCE = 0x73;
  private static final int INTERMEDIATE = 0x79;
  private static final int LARGEST = 64 << 20;

  /** Callbacks for received messages. */
  interface Receiver {
    /** Called for an entry. The buffer is valid only during the call. */
    void entry(int id, ByteBuf protocolOp);

    void result(int id, int code, String text);

    void failed(Throwable cause);

    void closed();
  }

  private final Receiver receiver;

  LdapMessages(Receiver receiver) {
    this.receiver = receiver;
  }

  static ByteBuf encode(ByteBufAllocator allocator, int id, byte[] body) {
    int idLength = (32 - Integer.numberOfLeadingZeros(id)) / 8 + 1;
    int length = 2 + idLength + body.length;
    ByteBuf out = allocator.ioBuffer(length + 6);
    BerWriter.writeHeader(out, SEQUENCE, length);
    out.writeByte(INTEGER).writeByte(idLength);
    for (int shift = (idLength - 1) * 8; shift >= 0; shift -= 8) {
      out.writeByte(id >>> shift);
    }
    return out.writeBytes(body);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    while (message(in)) {
      // Decodes complete messages, one after the other.
    }
  }

  private boolean message(ByteBuf in) {
    int begin = in.readerIndex();
    if (in.readableBytes() < 2) {
      return false;
    }
    if (in.readUnsignedByte() != SEQUENCE) {
      throw new CorruptedFrameException("no LDAP message");
    }
    int length = length(in);
    if (length < 0 || in.readableBytes() < length) {
      in.readerIndex(begin);
      return false;
    }
    int end = in.readerIndex() + length;
    content(in, end);
    in.readerIndex(end);
    return true;
  }

  /** Returns the length at the reader index; -1 if it is incomplete. */
  private static int length(ByteBuf in) {
    int first = in.readUnsignedByte();
    if (first < 0x80) {
      return first;
    }
    int octets = first & 0x7F;
    if (octets == 0 || octets > 4) {
      throw new CorruptedFrameException("a length of " + octets + " octets");
    }
    if (in.readableBytes() < octets) {
      return -1;
    }
    long length = number(in, octets);
    if (length > LARGEST) {
      throw new CorruptedFrameException("a message of " + length + " octets");
    }
    return (int) length;
  }

  private static long number(ByteBuf in, int octets) {
    long number = 0;
    for (int i = 0; i < octets; i++) {
      number = number << 8 | in.readUnsignedByte();
    }
    return number;
  }

  private static int integer(ByteBuf in) {
    in.readByte();
    return (int) number(in, length(in));
  }

  private void content(ByteBuf in, int end) {
    int id = integer(in);
    int begin = in.readerIndex();
    int tag = in.readUnsignedByte();
    int length = length(in);
    switch (tag) {
      case ENTRY -> receiver.entry(id, in.slice(begin, in.readerIndex() + length - begin));
      case REFERENCE, INTERMEDIATE -> {
        // neither an entry nor a result
      }
      default -> result(id, in, end);
    }
  }

  private void result(int id, ByteBuf in, int end) {
    int code = integer(in);
    text(in);
    String text = in.readerIndex() < end ? text(in) : "";
    receiver.result(id, code, text);
  }

  private static String text(ByteBuf in) {
    in.readByte();
    int length = length(in);
    return length == 0 ? "" : in.readCharSequence(length, StandardCharsets.UTF_8).toString();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    receiver.failed(cause);
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    super.channelInactive(context);
    receiver.closed();
  }
}
