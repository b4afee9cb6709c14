// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.schema.ServerProfile;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.SessionGuarantees;
import io.stoa.routing.retry.ReplayLimits;
import io.stoa.testing.MemoryServers;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.TestSession;
import io.stoa.testing.UpstreamBench;
import java.time.Duration;

/**
 * The real routing stage of one event loop, before servers in memory.
 *
 * <p>Threading: confined to the test's thread.
 */
final class RoutingBench implements AutoCloseable {
  static final int MAX_HELD = 100;

  final UpstreamBench upstream;
  final RoutingStage stage;
  Duration operationTimeout = Duration.ofHours(1);
  Duration queueTimeout = Duration.ofHours(1);
  private final TestSession client;

  RoutingBench(int servers) {
    this(new UpstreamBench(servers), Duration.ZERO);
  }

  /**
   * Creates the stage.
   *
   * @param writeCoherence time after a write in which reads go to the primary
   */
  RoutingBench(UpstreamBench bench, Duration writeCoherence) {
    upstream = bench;
    SessionGuarantees guarantees =
        new SessionGuarantees(
            ReplicationConfig.DEFAULTS,
            () -> Duration.ofHours(1),
            () -> Duration.ofHours(1),
            () -> ServerProfile.EXACT,
            System::nanoTime);
    NamingContexts contexts = new NamingContexts(() -> ServerProfile.EXACT);
    ReadEligibility eligibility =
        new ReadEligibility(
            upstream.group(), guarantees, new WriteCoherence(() -> writeCoherence, contexts));
    RouteConfig config =
        new RouteConfig(
            false,
            () -> false,
            () -> new ReplayLimits(operationTimeout, false, MAX_HELD, 1 << 20, 1 << 20),
            upstream.bound(),
            () -> queueTimeout);
    stage = new RoutingStage(upstream.group(), eligibility, contexts, config, upstream::pools);
    client = upstream.client();
  }

  TestSession client() {
    return client;
  }

  MemoryServers.Server server(int number) {
    return upstream.server(number);
  }

  RecordedResponse send(RawRequest request) {
    RecordedResponse response = client.send(request, stage);
    upstream.loop().run();
    return response;
  }

  /** Returns the number of unanswered requests of all servers. */
  int pending() {
    int pending = 0;
    for (int i = 1; i <= upstream.group().backends().size(); i++) {
      pending += server(i).requests().size();
    }
    return pending;
  }

  /** Returns the number of the only server with an unanswered request. */
  int busy() {
    int found = 0;
    for (int i = 1; i <= upstream.group().backends().size(); i++) {
      found += server(i).requests().isEmpty() ? 0 : i;
    }
    return found;
  }

  @Override
  public void close() {
    upstream.close();
  }
}
