// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.stoa.codec.HandlerNames;
import io.stoa.codec.LdapFrameDecoder;
import java.util.function.Function;

/**
 * Builds the pipeline of a client connection, in the order in which octets meet the handlers.
 * Thread-safe.
 */
final class ClientChannelInitializer extends ChannelInitializer<Channel> {
  private final FrontendConfig config;
  private final Function<EventLoop, LoopClients> loops;

  ClientChannelInitializer(FrontendConfig config, Function<EventLoop, LoopClients> loops) {
    this.config = config;
    this.loops = loops;
  }

  @Override
  protected void initChannel(Channel channel) {
    LoopClients loop = loops.apply(channel.eventLoop());
    LdapFrameDecoder frames = new LdapFrameDecoder(config.limits().frameBeforeBind());
    ClientConnection client = new ClientConnection(channel, frames, loop.context(), config);
    channel.pipeline().addLast(HandlerNames.FRAME_DECODER, frames);
    channel.pipeline().addLast(HandlerNames.CONNECTION, client);
    loop.add(client);
  }
}
