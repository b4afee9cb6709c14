// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** The management listener. Threading: thread-safe. */
public final class ManagementServer implements AutoCloseable {
  private final EventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("stoa-management", true), NioIoHandler.newFactory());
  private final ChannelGroup connections = new DefaultChannelGroup(loop.next());
  private final Metrics metrics;

  private final Channel listener;

  private ManagementServer(InetSocketAddress address, ManagementSource source) throws IOException {
    metrics = new Metrics(source);
    try {
      listener = listen(address, source);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /**
   * Starts to listen.
   *
   * @throws IOException if the address cannot be listened on; the message says why
   */
  public static ManagementServer start(InetSocketAddress address, ManagementSource source)
      throws IOException {
    return new ManagementServer(address, source);
  }

  private Channel listen(InetSocketAddress address, ManagementSource source) throws IOException {
    ChannelFuture bound =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .childHandler(new ManagementInitializer(source, metrics, connections))
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new DescribedException(FailureText.ofPort(bound.cause()), bound.cause());
    }
    return bound.channel();
  }

  /** Returns the address of the listener. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /** Closes the listener. Returns when its thread has ended. */
  @Override
  public void close() {
    connections.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    metrics.close();
  }
}
