// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.cache.maintenance.AuditComparison.ComparisonOutcome;
import io.stoa.cache.maintenance.AuditComparison.Verdict;
import io.stoa.cache.maintenance.Auditor.Comparer;
import io.stoa.cache.maintenance.Auditor.Finding;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.cache.result.Caches.ClockAndRandom;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Whoever waits for what is found has others compared then: so it is told, and once. */
class FailedAuditTest {
  private static final Octets PARTITION = Octets.ofUtf8("own");
  private static final CachedResultRef KEPT =
      new CachedResultRef(Octets.EMPTY, PARTITION, null, null);

  private final List<Finding> findings = new ArrayList<>();

  private static List<ClientSession> one() {
    ClientIdentity identity = ClientIdentity.simple("cn=one".getBytes(UTF_8), null);
    return List.of(new InternalSession(ImmediateEventExecutor.INSTANCE, identity));
  }

  private static List<ClientSession> failingClients() {
    throw broken();
  }

  private static IllegalStateException broken() {
    return new IllegalStateException("as it was to");
  }

  private void audit(Supplier<List<ClientSession>> clients, Comparer comparer) {
    MaintenanceLoop.Context terms =
        new MaintenanceLoop.Context(
            clients, identity -> Set.of(PARTITION), null, null, ClockAndRandom.SYSTEM);
    List<MaintenanceLoop> places =
        List.of(new MaintenanceLoop(ImmediateEventExecutor.INSTANCE, null, terms));
    new Auditor(places, comparer, (entries, max, found) -> {}, asking -> {}, System::nanoTime)
        .audit(KEPT, findings::add);
  }

  @Test
  void anAuditWithUnknownClientsIsUnverifiable() {
    audit(FailedAuditTest::failingClients, (maintenanceLoop, as, what, receiver) -> {});
    assertThat(findings).containsExactly(Finding.UNVERIFIABLE);
  }

  @Test
  void anAuditWithoutAComparisonIsUnverifiable() {
    audit(
        FailedAuditTest::one,
        (maintenanceLoop, as, what, receiver) -> {
          throw broken();
        });
    assertThat(findings).containsExactly(Finding.UNVERIFIABLE);
  }

  @Test
  void aFailureAfterTheVerdictChangesNothing() {
    audit(
        FailedAuditTest::one,
        (maintenanceLoop, as, what, receiver) -> {
          receiver.accept(new ComparisonOutcome(Verdict.SAME, 0, null));
          throw broken();
        });
    assertThat(findings).containsExactly(Finding.VERIFIED);
  }
}
