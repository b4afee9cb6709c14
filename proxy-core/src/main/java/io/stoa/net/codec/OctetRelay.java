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
 * One side of octets that pass between two connections unread, in place of the side's {@link
 * LdapFrameDecoder}. Reading stops while the other side does not take what was read. When one side
 * sends no more, the other is told so and may still answer. Event-loop confined.
 *
 * <p>To hand in octets is to give them away, with an action that is run once more of them may come;
 * an empty buffer stands for the end.
 */
public final class OctetRelay extends ChannelInboundHandlerAdapter {
  private final Channel channel;
  private final List<Runnable> waiting = new ArrayList<>();
  private final BiConsumer<ByteBuf, Runnable> other;
  private int handedOn;
  private boolean inputEnded;
  private boolean outputEnded;

  /**
   * Makes a side that is not in use yet.
   *
   * @param other the other side, to which is handed what is read here
   */
  public OctetRelay(Channel channel, BiConsumer<ByteBuf, Runnable> other) {
    this.channel = channel;
    this.other = other;
  }

  /** Takes the decoder's place; what was received and not read is handed on. */
  public void begin() {
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel.pipeline().replace(HandlerNames.FRAME_DECODER, HandlerNames.RELAY, this);
    channel.config().setAutoRead(handedOn == 0);
  }

  /** Sends octets that the other side has read. */
  public void send(ByteBuf octets, Runnable more) {
    if (octets.isReadable()) {
      channel.writeAndFlush(octets);
    } else {
      octets.release();
      sendEnd();
    }
    if (channel.isWritable()) {
      more.run();
    } else {
      waiting.add(more);
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
    other.accept(octets, this::taken);
  }

  private void taken() {
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

  /** TLS knows no half of a connection: it ends as a whole. */
  private void shutDown() {
    boolean whole = inputEnded || channel.pipeline().get(SslHandler.class) != null;
    if (!whole && channel instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
    } else {
      channel.close();
    }
  }

  /** What was sent before has gone out by then, as far as the system takes it. */
  private void closeIfDone() {
    if (outputEnded) {
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> channel.close());
    }
  }
}
