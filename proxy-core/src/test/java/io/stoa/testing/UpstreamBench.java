// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.net.codec.FlushQueue;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.upstream.admission.QueueBound;
import io.stoa.upstream.auth.BindCoalescer;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.pool.UnansweredHandler;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.pool.UpstreamLoop;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendConfig;
import io.stoa.upstream.server.ServerAddress;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The real pools of one event loop, before servers in memory. The first server is the primary, and
 * all are up.
 *
 * <p>Threading: confined to the test's thread.
 */
public final class UpstreamBench implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final ManualLoop loop = new ManualLoop();
  private final MemoryServers servers = new MemoryServers(loop);
  private final List<TestSession> clients = new ArrayList<>();
  private final QueueBound bound;
  private final ServerGroup group;
  private UpstreamConfig config;
  private UpstreamPools pools;

  /** Creates servers on the ports from 1. */
  public UpstreamBench(int count) {
    this(defaults(count));
  }

  public UpstreamBench(UpstreamConfig config) {
    this(config, true);
  }

  /** Creates servers whose first health checks have not ended. */
  public static UpstreamBench unchecked(UpstreamConfig config) {
    return new UpstreamBench(config, false);
  }

  private UpstreamBench(UpstreamConfig given, boolean up) {
    config = given;
    bound = new QueueBound(() -> config.queueLimit());
    group =
        new ServerGroup(
            config.servers(),
            config.balance(),
            server ->
                new Backend(
                    server.address(),
                    new BackendConfig(
                        server.primary(),
                        false,
                        config.maxConnections(),
                        config.transport().maxConnecting(),
                        1,
                        Duration.ZERO,
                        0)));
    if (up) {
      IntStream.rangeClosed(1, config.servers().size()).forEach(this::up);
    }
  }

  /** Lets the health check of a server pass. */
  public void up(int number) {
    backend(number).health().beginProbe();
    backend(number).health().onCheckPassed();
  }

  /** Lets the health check of a server fail. */
  public void down(int number) {
    backend(number).health().beginProbe();
    backend(number).health().onDown(new ConnectException("stopped by the test"));
  }

  /** Returns the default configuration of a number of servers. */
  public static UpstreamConfig defaults(int count) {
    return UpstreamConfig.of(
        IntStream.rangeClosed(1, count).mapToObj(port -> new ServerAddress(HOST, port)).toList());
  }

  /** Returns the event loop with its services. */
  public UpstreamLoop services() {
    return new UpstreamLoop(
        loop.executor(),
        settings -> servers,
        new FlushQueue(loop.executor()),
        bound,
        new BindCoalescer(),
        null,
        () -> 1);
  }

  /** Creates the pools. */
  public UpstreamPools pools(UnansweredHandler unanswered) {
    pools = new UpstreamPools(group, services(), () -> config, unanswered, () -> false);
    return pools;
  }

  /** Creates the pools. Operations without an answer are rejected, as after the last retry. */
  public UpstreamPools pools() {
    return pools(new Unanswered());
  }

  /** Rejects what a server has not answered. Stateless. */
  private static final class Unanswered implements UnansweredHandler {
    @Override
    public void onUnanswered(Operation operation, Backend by) {
      operation.sink().reject(Rejection.UPSTREAM_LOST);
    }

    @Override
    public boolean onRefused(Operation operation, Backend by) {
      return false;
    }

    @Override
    public boolean onServerBusy(Operation operation, Backend by) {
      return false;
    }

    @Override
    public void sendElsewhere(Operation operation, Backend by) {
      throw new AssertionError("the server is never too busy to bind");
    }
  }

  public ManualLoop loop() {
    return loop;
  }

  public QueueBound bound() {
    return bound;
  }

  public ServerGroup group() {
    return group;
  }

  /** Returns a server, as Stoa sees it. */
  public Backend backend(int number) {
    return group.backends().get(number - 1);
  }

  /** Returns the far side of a server. */
  public MemoryServers.Server server(int number) {
    return servers.at(new ServerAddress(HOST, number));
  }

  /** Returns an anonymous client. */
  public TestSession client() {
    TestSession client = new TestSession(loop);
    clients.add(client);
    return client;
  }

  /** Closes all connections, and wipes all passwords. */
  @Override
  public void close() {
    clients.forEach(TestSession::leave);
    if (pools != null) {
      pools.close();
    }
    loop.run();
  }
}
