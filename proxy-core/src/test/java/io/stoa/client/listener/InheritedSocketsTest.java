// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.net.transport.Transport;
import io.stoa.testing.RawLdapClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The protocol of sd_listen_fds(3), and the sockets that it announces. */
class InheritedSocketsTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final int BACKLOG = 16;

  @TempDir Path directory;

  private final List<Socket> open = new ArrayList<>();

  /** Loads the native library, which also makes the sockets of this test. */
  @BeforeAll
  static void requireEpoll() {
    assertThat(Transport.best()).isSameAs(Transport.EPOLL);
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
  }

  private Socket listening() throws IOException {
    Socket socket = bound();
    socket.listen(BACKLOG);
    return socket;
  }

  private Socket bound() throws IOException {
    Socket socket = Socket.newSocketStream();
    open.add(socket);
    socket.bind(new InetSocketAddress(LOOPBACK, 0));
    return socket;
  }

  private static Map<String, String> environment(String count) {
    Map<String, String> environment = new HashMap<>();
    environment.put("LISTEN_PID", Long.toString(ProcessHandle.current().pid()));
    environment.put("LISTEN_FDS", count);
    environment.put("LISTEN_FDNAMES", "stoa.socket");
    return environment;
  }

  private static InheritedSockets inherited(Socket socket) throws IOException {
    return InheritedSockets.of(environment("1"), socket.intValue(), Transport.EPOLL);
  }

  private static ListenerConfig listener(Socket socket) {
    return new ListenerConfig("127.0.0.1", socket.localAddress().getPort());
  }

  @Test
  void aSocketBelongsToTheListenerOfItsAddress() throws IOException {
    Socket socket = listening();
    InheritedSockets sockets = inherited(socket);
    ListenerConfig own = listener(socket);
    ListenerConfig tls = new ListenerConfig(Protocol.LDAPS, "localhost", own.port());
    ListenerConfig other = new ListenerConfig("127.0.0.2", own.port());
    for (ListenerConfig match : List.of(own, tls)) {
      InheritedSocket found = sockets.of(match);
      assertThat(found)
          .isNotNull()
          .extracting(InheritedSocket::descriptor)
          .isEqualTo(socket.intValue());
      sockets.requireListeners(List.of(other, match));
    }
    assertThat(sockets.of(other)).isNull();
    assertThat(sockets.of(new ListenerConfig(Protocol.LDAPI, "/run/ldapi", 0))).isNull();
    assertThatThrownBy(() -> sockets.requireListeners(List.of(other)))
        .hasMessageContaining("inherited socket " + own)
        .hasMessageContaining("(descriptor " + socket.intValue() + ", stoa.socket)")
        .hasMessageContaining("belongs to no listener; add the address to listen");
  }

  @Test
  void aLocalSocketBelongsToTheListenerOfItsPath() throws IOException {
    Path path = directory.resolve("ldapi");
    Socket socket = Socket.newSocketDomain();
    open.add(socket);
    socket.bind(new DomainSocketAddress(path.toFile()));
    socket.listen(BACKLOG);
    InheritedSockets sockets = inherited(socket);
    assertThat(sockets.of(new ListenerConfig(Protocol.LDAPI, path.toString(), 0))).isNotNull();
    assertThat(sockets.of(new ListenerConfig(Protocol.LDAPI, path + "2", 0))).isNull();
    assertThat(sockets.of(new ListenerConfig("127.0.0.1", 0))).isNull();
  }

  @Test
  void socketsOfAnotherProcessAreIgnored() throws IOException {
    Map<String, String> environment = environment("1");
    environment.put("LISTEN_PID", "1");
    assertThat(InheritedSockets.of(environment)).isSameAs(InheritedSockets.NONE);
    assertThat(InheritedSockets.of(Map.of())).isSameAs(InheritedSockets.NONE);
  }

  @Test
  void badInputIsRefusedWithARemedy() throws IOException {
    Socket socket = bound();
    assertThatThrownBy(() -> inherited(socket))
        .hasMessageContaining("descriptor " + socket.intValue() + " (stoa.socket)")
        .hasMessageContaining("is no listening socket; keep only ListenStream=");
    for (String count : List.of("x", "-1", "1001", "")) {
      assertThatThrownBy(() -> InheritedSockets.of(environment(count)))
          .hasMessage("'" + count + "' must be a number from 0 to 1000");
    }
    assertThatThrownBy(
            () -> InheritedSockets.of(environment("1"), socket.intValue(), Transport.NIO))
        .hasMessageContaining("require epoll");
  }

  @Test
  void anInheritedSocketServesClientsUntilItsEnd() throws IOException {
    Socket socket = listening();
    open.clear(); // Stoa closes it
    ListenerConfig listener = listener(socket);
    EventLoopGroup loops = Transport.EPOLL.eventLoops(1, "inherited");
    try {
      Listeners listeners = new Listeners(Transport.EPOLL, loops, 1024, inherited(socket));
      listeners.listen(AccessConfig.of(List.of(listener)), any -> new Closing());
      assertThat(listeners.opened()).containsExactly(listener);
      listeners.accept();
      try (RawLdapClient client = RawLdapClient.connect(listeners.addresses().get(0))) {
        assertThat(client.drain()).isEmpty();
      }
      assertThat(listeners.accepted()).containsExactly(1L);
      listeners.close();
      assertThat(listeners.accepted()).containsExactly(1L);
    } finally {
      Transport.shutDown(loops);
    }
  }

  @Sharable
  private static final class Closing extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      Channel channel = context.channel();
      channel.close();
    }
  }
}
