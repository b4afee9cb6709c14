// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.ldap.Hex;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.ProtocolError;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A connection that ends in a frame decoder, and what came out of it. Messages are copied and
 * released. Not thread-safe.
 */
final class Received implements AutoCloseable {
  final List<String> messages = new ArrayList<>();
  final List<ProtocolError> errors = new ArrayList<>();

  private final List<ByteBuf> sent = new ArrayList<>();
  private final LdapFrameDecoder decoder;
  private final EmbeddedChannel channel;

  Received(int maxFrameSize) {
    this(maxFrameSize, message -> {});
  }

  Received(int maxFrameSize, Consumer<LdapMessage> onMessage) {
    decoder = new LdapFrameDecoder(maxFrameSize);
    channel = new EmbeddedChannel(decoder, new Collector(onMessage));
  }

  LdapFrameDecoder decoder() {
    return decoder;
  }

  void allocator(ByteBufAllocator allocator) {
    channel.config().setAllocator(allocator);
  }

  /** As one read of a socket. */
  Received send(byte[] octets) {
    return send(octets, 0, octets.length);
  }

  Received send(byte[] octets, int offset, int length) {
    ByteBuf buffer = channel.alloc().buffer(length).writeBytes(octets, offset, length);
    channel.writeInbound(buffer);
    sent.add(buffer);
    sent.removeIf(earlier -> earlier.refCnt() == 0);
    return this;
  }

  /** Closes the connection and returns how many of the buffers were not released. */
  long leaked() {
    channel.finishAndReleaseAll();
    return sent.stream().filter(buffer -> buffer.refCnt() > 0).count();
  }

  @Override
  public void close() {
    if (leaked() > 0) {
      throw new AssertionError("a received buffer was not released");
    }
  }

  private final class Collector extends ChannelInboundHandlerAdapter {
    private final Consumer<LdapMessage> onMessage;

    Collector(Consumer<LdapMessage> onMessage) {
      this.onMessage = onMessage;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object received) {
      LdapMessage message = (LdapMessage) received;
      messages.add(message + " " + Hex.of(message.copyBody()));
      onMessage.accept(message);
      message.release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      errors.add(((LdapProtocolException) cause).reason());
    }
  }
}
