// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.ldap.protocol.Hex;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.tls.CountingAllocator;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/**
 * A connection that ends in a frame decoder, and what came out of it. Messages are copied and
 * released; one that came in parts is noted when it is complete. Not thread-safe.
 */
public final class FrameDecoderChannel implements AutoCloseable {
  public final List<String> messages = new ArrayList<>();
  public final List<ProtocolError> errors = new ArrayList<>();

  private final CountingAllocator allocator = new CountingAllocator();
  private final LdapFrameDecoder decoder;
  private final EmbeddedChannel channel;

  public FrameDecoderChannel(int maxFrameSize) {
    this(maxFrameSize, message -> {});
  }

  public FrameDecoderChannel(int maxFrameSize, Consumer<LdapMessage> onMessage) {
    this(maxFrameSize, Integer.MAX_VALUE, onMessage);
  }

  /** Collects messages of so many octets at most. */
  public FrameDecoderChannel(int maxFrameSize, int maxCollected) {
    this(maxFrameSize, maxCollected, message -> {});
  }

  private FrameDecoderChannel(int maxFrameSize, int maxCollected, Consumer<LdapMessage> onMessage) {
    decoder = new LdapFrameDecoder(maxFrameSize, maxCollected);
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
  public FrameDecoderChannel send(byte[] octets) {
    return send(octets, 0, octets.length);
  }

  public FrameDecoderChannel send(byte[] octets, int offset, int length) {
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
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private LdapMessage.Head head;

    Collector(Consumer<LdapMessage> onMessage) {
      this.onMessage = onMessage;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object received) {
      if (received instanceof LdapMessage message) {
        messages.add(message + " " + Hex.of(message.copyBody()));
        onMessage.accept(message);
        message.release();
      } else if (received instanceof LdapMessage.Head begun) {
        head = begun;
        body.reset();
      } else {
        piece((ByteBuf) received);
      }
    }

    private void piece(ByteBuf piece) {
      body.writeBytes(ByteBufUtil.getBytes(piece));
      piece.release();
      if (body.size() == head.bodyLength()) {
        String message = "LdapMessage[" + head.messageId() + " " + head.type() + "] ";
        messages.add(message + Hex.of(body.toByteArray()));
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      errors.add(((LdapProtocolException) cause).reason());
    }
  }

  /** In pieces of up to 20 octets, always the same ones for the same octets. */
  public void sendInPieces(byte[] octets) {
    Random random = new Random(Arrays.hashCode(octets));
    for (int offset = 0; offset < octets.length; ) {
      int length = Math.min(octets.length - offset, 1 + random.nextInt(20));
      send(octets, offset, length);
      offset += length;
    }
  }
}
