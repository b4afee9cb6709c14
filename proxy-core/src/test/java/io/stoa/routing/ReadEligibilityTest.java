// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.replication.SessionGuarantees;
import io.stoa.replication.UnreplicatedWrite;
import io.stoa.routing.ReadEligibility.ServerJudge;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendConfig;
import io.stoa.upstream.server.ServerAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who may answer after a write of which the servers that tell their positions cannot tell. */
class ReadEligibilityTest {
  private static final Request REQUEST =
      new Request(new DeleteOp("uid=a,dc=x".getBytes(StandardCharsets.UTF_8)), List.of(), false);

  private final ServerGroup branch =
      new ServerGroup(
          ServerSpec.of(
              List.of(new ServerAddress("127.0.0.1", 1), new ServerAddress("127.0.0.1", 2))),
          BalanceConfig.DEFAULTS,
          server ->
              new Backend(
                  server.address(),
                  new BackendConfig(server.primary(), false, 1, 1, 1, Duration.ZERO, 1)));
  private final SessionGuarantees consistency =
      new SessionGuarantees(
          new ReplicationConfig(
              SessionScope.IDENTITY, Duration.ofSeconds(10), Duration.ofSeconds(1)),
          () -> Duration.ofHours(1),
          () -> Duration.ofHours(1),
          () -> ServerProfile.EXACT,
          System::nanoTime);
  private final WriteCoherence coherence =
      new WriteCoherence(() -> Duration.ofHours(1), new NamingContexts(() -> ServerProfile.EXACT));
  private final ReadEligibility freshness = new ReadEligibility(branch, consistency, coherence);
  private final Backend primary = branch.primary();

  private void reportAll() {
    for (Backend backend : branch.backends()) {
      consistency
          .replication()
          .add(backend, branch, "server", () -> true, backend.isPrimary() ? () -> true : null);
    }
    for (Backend backend : branch.backends()) {
      consistency.onPosition(
          consistency.startRequest(backend), Position.of(Map.of("dc=x#1", "1")), Set.of());
    }
  }

  @Test
  void readsStayAtTheWriterOfAnUncomparedWrite() {
    freshness.endWrite(REQUEST, null, primary, true);
    assertThat(freshness.onlyServer(REQUEST)).isSameAs(primary);
    reportAll();
    assertThat(consistency.isComparable(branch.backends().get(1), primary)).isTrue();
    assertThat(freshness.onlyServer(REQUEST)).isSameAs(primary);
    coherence.onWrite(REQUEST, primary, true); // a later one, of which they can tell
    assertThat(freshness.onlyServer(REQUEST)).isSameAs(primary);
  }

  @Test
  void writesWithPositionsPinNoReads() {
    reportAll();
    coherence.onWrite(REQUEST, primary, true);
    assertThat(freshness.onlyServer(REQUEST)).isNull();
  }

  /** Or a server could be chosen as one that has it, and be treated as one that has not. */
  @Test
  void eachServerIsJudgedOncePerChoice() throws LdapProtocolException {
    reportAll();
    Backend replica = branch.backends().get(1);
    Operation read =
        InternalSearch.of(
            new InternalSession(ImmediateEventExecutor.INSTANCE),
            new RequestDecoder(() -> DecodeLimits.DEFAULTS),
            SearchParameters.entry("uid=a,dc=x".getBytes(StandardCharsets.UTF_8), List.of("cn")),
            found -> {});
    UnreplicatedWrite change = Objects.requireNonNull(freshness.beginWrite(read, REQUEST, primary));
    ServerJudge known = freshness.judgeFor(read, false);
    assertThat(known.test(replica)).isFalse();
    freshness.cancelWrite(change);
    assertThat(known.test(replica)).isFalse();
    assertThat(known.test(primary)).isTrue();
    assertThat(freshness.judgeFor(read, false).test(replica)).isTrue();
  }
}
