// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.cache.maintenance.Auditor.AuditRequest;
import io.stoa.cache.result.AlwaysAvailable;
import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.cache.result.Caches.ClockAndRandom;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.SessionGuarantees;
import io.stoa.testing.Requests;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How much of what was found to be wrong for a member is followed up. */
class MismatchFollowUpTest {
  private static final Octets REQUEST = Octets.of(Requests.search("dc=x").request().op());
  private static final CachedResultRef KEPT =
      new CachedResultRef(REQUEST, Octets.ofUtf8("shared"), null, null);
  private static final Duration BOUND = Duration.ofSeconds(8);

  /** As long as one is followed up. */
  private static final int STEPS = 64;

  private static final int MAX = 256;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final MaintenanceLoop maintenanceLoop =
      new MaintenanceLoop(channel.eventLoop(), stage(), terms());
  private final MismatchFollowUp followUp = new MismatchFollowUp(List.of(maintenanceLoop), BOUND);
  private long now;
  private int steps;

  private static CacheStage stage() {
    Caches caches =
        new Caches(
            CacheConfig.DEFAULTS,
            () -> Duration.ofSeconds(1),
            new AlwaysAvailable(),
            ClockAndRandom.SYSTEM);
    SessionGuarantees consistency =
        new SessionGuarantees(
            ReplicationConfig.DEFAULTS,
            () -> Duration.ofSeconds(1),
            () -> Duration.ofSeconds(1),
            () -> ServerProfile.EXACT,
            System::nanoTime);
    return new CacheStage(caches, consistency, operation -> {});
  }

  /** In each step it is looked who is there: nobody is known. */
  private MaintenanceLoop.Context terms() {
    return new MaintenanceLoop.Context(
        () -> {
          steps++;
          return List.of();
        },
        identity -> Set.of(),
        new RequestDecoder(() -> DecodeLimits.DEFAULTS),
        () -> CoherenceDomains.NONE,
        ClockAndRandom.withClock(() -> now += TimeUnit.SECONDS.toNanos(1)));
  }

  private void reportMismatches(int times) {
    ClientIdentity identity = ClientIdentity.simple("cn=one".getBytes(UTF_8), null);
    ClientSession client = new InternalSession(channel.eventLoop(), identity);
    for (int time = 0; time < times; time++) {
      followUp.onMismatch(new AuditRequest(maintenanceLoop, client, KEPT));
    }
  }

  /** How many are followed up now. */
  private int step() {
    steps = 0;
    channel.advanceTimeBy(1, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    return steps;
  }

  @BeforeEach
  void begin() {
    channel.freezeTime();
  }

  @AfterEach
  void close() {
    channel.close();
  }

  @Test
  void followUpsAreLimitedAndOthersWait() {
    reportMismatches(MAX - 1);
    assertThat(step()).isEqualTo(MAX - 1);
    reportMismatches(10);
    for (int step = 2; step <= STEPS; step++) {
      assertThat(step()).isEqualTo(MAX);
    }
    assertThat(step()).as("one has begun a step later").isEqualTo(1);
    assertThat(step()).isZero();
    reportMismatches(2 * MAX);
    assertThat(step()).isEqualTo(MAX);
  }
}
