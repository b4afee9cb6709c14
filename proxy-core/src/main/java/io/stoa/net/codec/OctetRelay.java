// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * One end of a relay that passes octets between two connections unread. A relay replaces the {@link
 * LdapFrameDecoder} of its connection.
 *
 * <ol>
 *   <li>Reading pauses while the other end does not take the octets read (back-pressure).
 *   <li>When one end sends no more, the other end is shut down for output, and may still answer.
 *   <li>Octets are passed to an end with ownership, and with an action to run when the end can take
 *       more. An empty buffer means the end of the stream.
 * </ol>
 *
 * <p>Threading: event loop.
 */
public final class OctetRelay extends ChannelInboundHandlerAdapter {
  private final Channel channel;
  private final List<Runnable> waiting = new ArrayList<>();
  private final BiConsumer<ByteBuf, Runnable> other;
  private int handedOn;
  private boolean inputEnded;
  private boolean outputEnded;

  /**
   * Creates an end that is not in use yet.
   *
   * @param other receives the octets read here, with an action to run when it can take more
   */
  public OctetRelay(Channel channel, BiConsumer<ByteBuf, Runnable> other) {
    this.channel = channel;
    this.other = other;
  }

  /** Replaces the frame decoder. Octets received but not decoded are passed to the other end. */
  public void begin() {
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel.pipeline().replace(HandlerNames.FRAME_DECODER, HandlerNames.RELAY, this);
    channel.config().setAutoRead(handedOn == 0);
  }

  /** Sends octets that the other end has read. */
  public void send(ByteBuf octets, Runnable onWritable) {
    if (octets.isReadable()) {
      channel.writeAndFlush(octets);
    } else {
      octets.release();
      sendEnd();
    }
    if (channel.isWritable()) {
      onWritable.run();
    } else {
      waiting.add(onWritable);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object octets) {
    handOn((ByteBuf) octets);
    if (handedOn > 0) {
      channel.config().setAutoRead(false);
    }
  }

  private void handOn(ByteBuf octets) {
    handedOn++;
    other.accept(octets, this::onTaken);
  }

  private void onTaken() {
    handedOn--;
    if (handedOn == 0) {
      channel.config().setAutoRead(true);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      List<Runnable> actions = List.copyOf(waiting);
      waiting.clear();
      actions.forEach(Runnable::run);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (event instanceof ChannelInputShutdownEvent && !inputEnded) {
      inputEnded = true;
      handOn(Unpooled.EMPTY_BUFFER);
      closeIfDone();
    } else {
      context.fireUserEventTriggered(event);
    }
  }

  private void sendEnd() {
    outputEnded = true;
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> shutDown());
  }

  /**
   * Ends the output of this connection. TLS has no half-close, so a TLS connection ends as a whole.
   */
  private void shutDown() {
    boolean whole = inputEnded || channel.pipeline().get(SslHandler.class) != null;
    if (!whole && channel instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
    } else {
      channel.close();
    }
  }

  /** Closes the connection if both directions have ended, after all earlier writes are done. */
  private void closeIfDone() {
    if (outputEnded) {
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> channel.close());
    }
  }
}
