// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.client.listener.Listener;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.codec.FlushQueue;
import io.stoa.operation.ClientSession;
import io.stoa.operation.digest.DigestBatch;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.ManualUpstream;
import io.stoa.testing.MemoryChannel;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The clients of one event loop: the limit of their number, and of their requests' memory. */
class SessionRegistryTest {
  private static final RawRequest SEARCH = Requests.search("dc=x").request();
  private static final int MAX = 2;
  private static final int MEMORY = 1_000;
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final ManualLoop loop = new ManualLoop();
  private final ManualUpstream upstream = new ManualUpstream();
  private final List<MemoryChannel> channels = new ArrayList<>();
  private final FrontendConfig config =
      ClientBench.config(
          Records.with(
              Records.with(ClientLimits.DEFAULTS, "connections", MAX),
              "idleTimeout",
              Duration.ofHours(1)));
  private final ClientConnectionLimit limit = new ClientConnectionLimit(config);
  private final RequestMemory memory = new RequestMemory(() -> MEMORY);
  private final SessionRegistry registry =
      new SessionRegistry(
          loop.executor(),
          new EventLoopContext(upstream, new FlushQueue(loop.executor()), new DigestBatch()),
          new SessionRegistry.Shared(config, limit, memory, new AtomicLong()));

  @AfterEach
  void close() {
    channels.forEach(MemoryChannel::hangUp);
  }

  private MemoryChannel connect() {
    return connect("10.0.0.1");
  }

  private MemoryChannel connect(String address) {
    MemoryChannel channel = new MemoryChannel(loop, new InetSocketAddress(address, 5_000));
    Listener listener = new Listener(new ListenerConfig("127.0.0.1", 389), null, false, List.of());
    channel.pipeline().addLast(new ClientChannelInitializer(config, listener, any -> registry));
    loop.executor().register(channel);
    loop.run();
    channels.add(channel);
    return channel;
  }

  /** Connects a client that has an operation in flight, so that it is not idle. */
  private MemoryChannel connectBusy() {
    MemoryChannel channel = connect();
    channel.send(1, SEARCH);
    return channel;
  }

  private static void assertRefused(MemoryChannel channel) {
    List<RawMessage> sent = channel.sent();
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).resultCode()).isEqualTo(BUSY);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void clientsUpToTheMaximumAreAccepted() {
    connectBusy();
    assertThat(connectBusy().isOpen()).isTrue();
    assertThat(limit.open()).isEqualTo(MAX);
  }

  @Test
  void theClientAboveTheMaximumIsRefusedAsBusy() {
    connectBusy();
    connectBusy();
    assertRefused(connect());
    assertThat(limit.open()).isEqualTo(MAX);
  }

  @Test
  void aClientThatLeavesMakesRoomForAnother() {
    connectBusy();
    connectBusy().hangUp();
    assertThat(connect().isOpen()).isTrue();
  }

  @Test
  void anIdleClientWithoutABindGivesWay() {
    connectBusy();
    MemoryChannel idle = connect();
    MemoryChannel next = connect();
    assertRefused(idle);
    assertThat(next.isOpen()).isTrue();
    assertThat(limit.open()).isEqualTo(MAX);
  }

  @Test
  void aBoundClientDoesNotGiveWay() {
    connectBusy();
    MemoryChannel bound = connect();
    bound.send(1, Requests.bind("cn=anna,dc=x", "secret"));
    upstream.answer(op -> op[0] == 0x60, Responses.result(0x60, 0));
    assertRefused(connect());
    assertThat(bound.isOpen()).isTrue();
  }

  @Test
  void aDrainEndsIdleClientsAndRefusesFurtherOnes() {
    MemoryChannel busy = connectBusy();
    MemoryChannel idle = connect();
    registry.drain();
    assertThat(idle.isOpen()).isFalse();
    assertThat(busy.isOpen()).isTrue();
    MemoryChannel late = connect();
    assertThat(late.isOpen()).isFalse();
    assertThat(late.sent().get(0).resultCode()).isEqualTo(UNAVAILABLE);
    assertThat(registry.gone().isDone()).isFalse();
    upstream.answer(0);
    loop.run();
    assertThat(registry.gone().isDone()).isTrue();
  }

  @Test
  void oneClientIsDisconnectedByItsNumber() {
    MemoryChannel first = connect();
    MemoryChannel second = connect();
    assertThat(registry.disconnect(2)).isTrue();
    assertThat(first.isOpen()).isTrue();
    assertThat(second.isOpen()).isFalse();
    assertThat(registry.disconnect(3)).isFalse();
  }

  @Test
  void aClientThatHasLeftIsNotListed() {
    connect().hangUp();
    connect();
    assertThat(registry.sessions()).hasSize(1).allMatch(ClientSession::isOpen);
  }

  // Memory of requests

  /** Sends the first octets of a request of 4,000 octets. */
  private static void begin(MemoryChannel channel, int octets) {
    byte[] request =
        Requests.search("dc=x").filter("(cn=" + "x".repeat(4_000) + ")").request().encode(1);
    channel.send(Arrays.copyOf(request, octets));
  }

  @Test
  void unfinishedRequestsUpToTheMaximumOfMemoryAreKept() {
    MemoryChannel first = connect("10.0.0.1");
    MemoryChannel second = connect("10.0.1.1");
    begin(first, MEMORY / 2);
    begin(second, MEMORY / 2);
    assertThat(memory.octets()).isEqualTo(MEMORY);
    assertThat(first.isOpen()).isTrue();
    assertThat(second.isOpen()).isTrue();
  }

  @Test
  void theNetworkWithMostMemoryLosesAClientAboveTheMaximum() {
    MemoryChannel large = connect("10.0.0.1");
    MemoryChannel small = connect("10.0.1.1");
    begin(large, MEMORY - 100);
    begin(small, 101);
    assertRefused(large);
    assertThat(small.isOpen()).isTrue();
    assertThat(memory.octets()).isEqualTo(101);
  }

  @Test
  void theMemoryOfAClientThatLeavesIsFree() {
    MemoryChannel client = connect();
    begin(client, MEMORY / 2);
    client.hangUp();
    assertThat(memory.octets()).isZero();
  }

  @Test
  void smallCompleteRequestsTakeNoMemory() {
    connectBusy();
    assertThat(memory.octets()).isZero();
  }
}
