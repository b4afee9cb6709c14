// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

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

  private final CountingAllocator allocator = new CountingAllocator();
  private final LdapFrameDecoder decoder;
  private final EmbeddedChannel channel;

  Received(int maxFrameSize) {
    this(maxFrameSize, message -> {});
  }

  Received(int maxFrameSize, Consumer<LdapMessage> onMessage) {
    decoder = new LdapFrameDecoder(maxFrameSize);
    channel = new EmbeddedChannel(decoder, new Collector(onMessage));
    channel.config().setAllocator(allocator);
  }

  LdapFrameDecoder decoder() {
    return decoder;
  }

  /** What the buffers of this connection take. */
  CountingAllocator allocator() {
    return allocator;
  }

  /** As one read of a socket. */
  Received send(byte[] octets) {
    return send(octets, 0, octets.length);
  }

  Received send(byte[] octets, int offset, int length) {
    channel.writeInbound(allocator.buffer(length).writeBytes(octets, offset, length));
    return this;
  }

  /** Closes the connection: nothing may be left of it. */
  @Override
  public void close() {
    channel.finishAndReleaseAll();
    if (allocator.live() > 0) {
      throw new AssertionError(allocator.live() + " octets of buffers were not released");
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
