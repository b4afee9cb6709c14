// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.stoa.client.listener.InheritedSocket;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The management listener. Threading: thread-safe. */
public final class ManagementServer implements AutoCloseable {
  private final Transport transport;
  private final EventLoopGroup loop;
  private final ChannelGroup connections;
  private final Metrics metrics;
  private final ManagementProtection protection;
  private final boolean inherited;

  private final Channel listener;

  private ManagementServer(
      InetSocketAddress address,
      ManagementProtection protection,
      ManagementSource source,
      @Nullable InheritedSocket socket)
      throws IOException {
    this.protection = protection;
    inherited = socket != null;
    transport = inherited ? Transport.EPOLL : Transport.NIO;
    loop = transport.eventLoops(1, "stoa-management");
    connections = new DefaultChannelGroup(loop.next());
    metrics = new Metrics(source, protection::certificates);
    try {
      listener = listen(address, source, socket);
    } catch (IOException e) {
      end();
      throw e;
    }
  }

  /**
   * Starts to listen.
   *
   * @param protection TLS and token; {@link #close} closes it
   * @param socket inherited socket of the address; null to bind the address
   * @throws IOException if the address cannot be listened on; the message says why
   */
  public static ManagementServer start(
      InetSocketAddress address,
      ManagementProtection protection,
      ManagementSource source,
      @Nullable InheritedSocket socket)
      throws IOException {
    return new ManagementServer(address, protection, source, socket);
  }

  private Channel listen(
      InetSocketAddress address, ManagementSource source, @Nullable InheritedSocket socket)
      throws IOException {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loop)
            .childHandler(new ManagementInitializer(protection, source, metrics, connections));
    ChannelFuture bound =
        socket == null
            ? bootstrap.channelFactory(transport.serverChannels()).bind(address)
            : bootstrap
                .channelFactory(transport.inheritedChannels(socket.descriptor(), true))
                .register();
    bound.awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new DescribedException(FailureText.ofPort(bound.cause()), bound.cause());
    }
    return bound.channel();
  }

  /** Returns the address of the listener. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.localAddress();
  }

  /**
   * Leaves an inherited socket to other processes. A listener that Stoa has bound itself goes on,
   * so that readiness checks see the reason.
   */
  public void drain() {
    if (inherited) {
      Transport.closeInherited(listener);
    }
  }

  /** Closes the listener. Returns when its thread has ended. */
  @Override
  public void close() {
    drain();
    end();
    protection.close();
  }

  private void end() {
    connections.close();
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    metrics.close();
  }
}
