// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.stoa.net.transport.NameResolver;
import io.stoa.net.transport.Transport;
import io.stoa.testing.FreePort;
import io.stoa.testing.ScriptedUpstream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hosts that have several addresses, not all of which take connections. */
class AddressAttemptsIT {
  private final Transport transport = Transport.best();
  private final EventLoopGroup group = transport.eventLoops(1, "addresses");
  private final EventLoop loop = group.next();
  private final ScriptedUpstream server = ScriptedUpstream.start();

  @AfterEach
  void end() {
    server.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** To which address the connection was made; or why it was not. */
  private CompletableFuture<InetSocketAddress> connect(int port, String... addresses) {
    CompletableFuture<InetSocketAddress> made = new CompletableFuture<>();
    Bootstrap tcp =
        new Bootstrap()
            .group(loop)
            .channelFactory(transport.clientChannels())
            .handler(new NoHandlers());
    Dialer.DialListener outcome =
        new Dialer.DialListener() {
          @Override
          public void onConnected(Channel channel) {
            made.complete((InetSocketAddress) channel.remoteAddress());
            channel.close();
          }

          @Override
          public void onFailed(Throwable cause) {
            made.completeExceptionally(cause);
          }
        };
    NameResolver names = new NameResolver(Runnable::run, host -> resolved(addresses));
    loop.execute(
        () ->
            new AddressAttempts(loop, tcp, Duration.ofSeconds(20), outcome)
                .connect(InetSocketAddress.createUnresolved("ldap.example.com", port), names));
    return made;
  }

  private static InetAddress[] resolved(String... addresses) throws UnknownHostException {
    InetAddress[] all = new InetAddress[addresses.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = InetAddress.getByName(addresses[i]);
    }
    return all;
  }

  private static final class NoHandlers extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel channel) {
      // Nobody says anything.
    }
  }

  @Test
  void theFirstAddressThatAcceptsIsUsed() throws Exception {
    InetSocketAddress address =
        connect(server.port(), "127.0.0.2", "127.0.0.3", "127.0.0.1").get(20, TimeUnit.SECONDS);
    assertThat(address.getAddress().getHostAddress()).isEqualTo("127.0.0.1");
  }

  @Test
  void theFailureOfTheLastAddressIsReported() {
    assertThat(connect(FreePort.next(), "127.0.0.1", "127.0.0.2"))
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(ConnectException.class);
    assertThat(connect(server.port()))
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(UnknownHostException.class);
  }
}
