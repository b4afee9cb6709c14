// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.timeout.IdleState;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection that is passed through unread. Received octets go to the other end, as
 * fast as that one takes them. When one end stops sending, the output of the other end is shut
 * down, and it may still answer.
 *
 * <p>Threading: event loop.
 */
public final class Relay extends ChannelInboundHandlerAdapter {
  /** Octets received before the other end was connected: at most those of one read. */
  private final List<Object> early = new ArrayList<>();

  private @Nullable Channel other;
  private @Nullable Runnable first;
  private boolean ended;

  /** Runs the action once octets have been received or the input has ended. */
  public void onFirst(Runnable action) {
    if (early.isEmpty() && !ended) {
      first = action;
    } else {
      action.run();
    }
  }

  private void onInput() {
    Runnable action = first;
    first = null;
    if (action != null) {
      action.run();
    }
  }

  /**
   * Begins to pass on the octets that this end receives.
   *
   * @param channel the channel of this end
   * @param to the channel of the other end
   */
  public void join(Channel channel, Channel to) {
    other = to;
    early.forEach(octets -> to.write(octets, to.voidPromise()));
    early.clear();
    to.flush();
    if (ended) {
      endSending(to);
    }
    channel.config().setAutoRead(true);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object octets) {
    Channel to = other;
    if (to == null) {
      early.add(octets);
      onInput();
    } else {
      to.write(octets, to.voidPromise());
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    Channel to = other;
    if (to != null) {
      to.flush();
      if (!to.isWritable()) {
        ctx.channel().config().setAutoRead(false);
      }
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (other != null && ctx.channel().isWritable()) {
      other.config().setAutoRead(true);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      ended = true;
      onInput();
      if (other != null) {
        endSending(other);
      }
    } else if (event instanceof IdleStateEvent idle && isStuck(ctx.channel(), idle)) {
      ctx.close();
    }
  }

  private static void endSending(Channel to) {
    to.writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            sent -> {
              if (to instanceof DuplexChannel duplex && to.isActive()) {
                duplex.shutdownOutput().addListener(told -> closeIfBothEnded(duplex));
              }
            });
  }

  private static void closeIfBothEnded(DuplexChannel channel) {
    if (channel.isShutdown()) {
      channel.close();
    }
  }

  /**
   * True if pending output made no progress, or if there was no traffic at all, for the idle time.
   */
  private static boolean isStuck(Channel channel, IdleStateEvent idle) {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    return idle.state() == IdleState.ALL_IDLE
        || (waiting != null && waiting.totalPendingWriteBytes() > 0);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    early.forEach(ReferenceCountUtil::release);
    early.clear();
    if (other != null) {
      // Reading must resume: a peer that cannot deliver its responses may not read its last
      // requests.
      other.config().setAutoRead(true);
      other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close();
  }
}
