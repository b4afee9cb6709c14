// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.client.listener.Listener;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.peer.Network;
import io.stoa.operation.ClientSession;
import io.stoa.operation.digest.DigestBatch;
import io.stoa.operation.event.ClientTimeout;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.ManualUpstream;
import io.stoa.testing.MemoryChannel;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Requests;
import io.stoa.testing.Tlv;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections of a load balancer, which begin with a PROXY header, and those of others. */
class ProxyHeaderTest {
  private static final String BALANCER = "10.0.0.1";
  private static final String HEADER = "PROXY TCP4 192.0.2.7 192.0.2.1 5000 389\r\n";
  private static final byte[] SEARCH = Requests.search("dc=x").request().encode(1);
  private static final int PROTOCOL_ERROR = 2;

  private final ManualLoop loop = new ManualLoop();
  private final ManualUpstream upstream = new ManualUpstream();
  private final FrontendConfig config = ClientBench.config(ClientLimits.DEFAULTS);
  private final SessionRegistry registry =
      new SessionRegistry(
          loop.executor(),
          new EventLoopContext(upstream, new FlushQueue(loop.executor()), new DigestBatch()),
          new SessionRegistry.Shared(
              config,
              new ClientConnectionLimit(config),
              new RequestMemory(() -> Integer.MAX_VALUE),
              new AtomicLong()));
  private MemoryChannel channel = connect(BALANCER);

  private MemoryChannel connect(String address) {
    Listener listener =
        new Listener(
            new ListenerConfig("127.0.0.1", 389),
            null,
            false,
            List.of(Network.parse(BALANCER + "/32")));
    MemoryChannel made = new MemoryChannel(loop, new InetSocketAddress(address, 4_000));
    made.pipeline().addLast(new ClientChannelInitializer(config, listener, any -> registry));
    loop.executor().register(made);
    loop.run();
    return made;
  }

  @AfterEach
  void close() {
    channel.hangUp();
  }

  private void send(String header) {
    channel.send(header.getBytes(US_ASCII));
  }

  private InetSocketAddress peer() {
    ClientSession only = registry.sessions().iterator().next();
    return only.peer().endpoint();
  }

  private void assertProtocolError() {
    List<RawMessage> sent = channel.sent();
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).messageId()).isZero();
    assertThat(sent.get(0).resultCode()).isEqualTo(PROTOCOL_ERROR);
    assertThat(channel.isOpen()).isFalse();
    assertThat(upstream.received()).isZero();
  }

  @Test
  void theHeaderOfALoadBalancerNamesTheClient() {
    send(HEADER);
    assertThat(peer()).isEqualTo(new InetSocketAddress("192.0.2.7", 5_000));
  }

  @Test
  void aHeaderInPiecesIsRead() {
    send(HEADER.substring(0, 9));
    send(HEADER.substring(9));
    assertThat(peer()).isEqualTo(new InetSocketAddress("192.0.2.7", 5_000));
  }

  @Test
  void aRequestInTheSamePacketAsTheHeaderIsServed() {
    channel.send(Tlv.concat(HEADER.getBytes(US_ASCII), SEARCH));
    assertThat(upstream.received()).isOne();
  }

  @Test
  void aHeaderWithoutAnAddressLeavesTheClientThatOfTheLoadBalancer() {
    send("PROXY UNKNOWN\r\n");
    channel.send(SEARCH);
    assertThat(peer()).isEqualTo(new InetSocketAddress(BALANCER, 4_000));
    assertThat(upstream.received()).isOne();
  }

  @Test
  void aConnectionOfALoadBalancerWithoutAHeaderEnds() {
    channel.send(SEARCH);
    assertProtocolError();
  }

  @Test
  void aMalformedHeaderEndsTheConnection() {
    send("PROXY TCP4 192.0.2.7 nonsense\r\n");
    channel.send(SEARCH);
    assertThat(channel.isOpen()).isFalse();
    assertThat(upstream.received()).isZero();
  }

  @Test
  void aHeaderThatIsNotFromALoadBalancerEndsTheConnection() {
    channel.hangUp();
    channel = connect("10.0.0.2");
    send(HEADER);
    assertProtocolError();
  }

  @Test
  void aConnectionWhoseHeaderIsLateEnds() {
    send(HEADER.substring(0, 9));
    loop.pass(config.limits().requestTimeout());
    assertThat(channel.isOpen()).isFalse();
    assertThat(config.counters().timeouts().get(ClientTimeout.REQUEST)).isOne();
  }

  @Test
  void theTimeOfTheHeaderEndsWithIt() {
    send(HEADER);
    loop.pass(config.limits().requestTimeout().multipliedBy(2));
    assertThat(channel.isOpen()).isTrue();
  }
}
