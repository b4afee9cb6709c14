// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.cache.result.AlwaysAvailable;
import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.cache.result.Caches.ClockAndRandom;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.SessionGuarantees;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** As whom something is asked for before a client does. */
class RefresherTest {
  private static final Octets REQUEST = Octets.of(Requests.search("dc=x").request().op());

  private static final int MANY = 40;

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Caches caches =
      new Caches(
          CacheConfig.DEFAULTS,
          () -> Duration.ofSeconds(1),
          new AlwaysAvailable(),
          ClockAndRandom.SYSTEM);
  private final List<Octets> refreshedAs = new ArrayList<>();
  private final List<MaintenanceLoop> places =
      List.of(new MaintenanceLoop(channel.eventLoop(), stage(), terms()));
  private final Refresher refresher =
      new Refresher(places, () -> true, () -> 100, System::nanoTime);
  private ClientIdentity bound = identity("cn=one");
  private boolean broken;

  private static ClientIdentity identity(String dn) {
    return ClientIdentity.simple(dn.getBytes(UTF_8), null);
  }

  private CacheStage stage() {
    SessionGuarantees consistency =
        new SessionGuarantees(
            ReplicationConfig.DEFAULTS,
            () -> Duration.ofSeconds(1),
            () -> Duration.ofSeconds(1),
            () -> ServerProfile.EXACT,
            System::nanoTime);
    return new CacheStage(caches, consistency, this::answer);
  }

  /** It is told at once, and cannot be kept. */
  private void answer(Operation operation) {
    refreshedAs.add(operation.session().identity().name());
    operation.sink().complete(new EncodedResponse(Responses.searchDone(0).op()));
  }

  private MaintenanceLoop.Context terms() {
    return new MaintenanceLoop.Context(
        () -> List.of(client()),
        this::partitions,
        new RequestDecoder(() -> DecodeLimits.DEFAULTS),
        () -> CoherenceDomains.NONE,
        ClockAndRandom.SYSTEM);
  }

  private Set<Octets> partitions(ClientIdentity identity) {
    if (broken) {
      throw new IllegalStateException("as it was to");
    }
    return caches.partitions(identity);
  }

  /** A session that may bind anew. */
  private ClientSession client() {
    ClientSession same = new InternalSession(channel.eventLoop());
    return (ClientSession)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ClientSession.class},
            (proxy, method, arguments) ->
                method.getName().equals("identity") ? bound : method.invoke(same, arguments));
  }

  @AfterEach
  void close() {
    channel.close();
  }

  private void pass() {
    channel.advanceTimeBy(1, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }

  @Test
  void aRefreshThatWasNotCachedIsRepeated() {
    channel.freezeTime();
    refresher.onHotExpiring(client(), REQUEST);
    channel.runPendingTasks();
    assertThat(refreshedAs).containsExactly(bound.name());
    pass();
    assertThat(refreshedAs).containsExactly(bound.name(), bound.name());
  }

  /** Otherwise nothing would be asked for any more as soon as so many have gone wrong. */
  @Test
  void aFailedRefreshDoesNotBlockTheNext() {
    channel.freezeTime();
    refresher.onHotExpiring(client(), REQUEST);
    channel.runPendingTasks();
    CachedResultRef kept =
        new CachedResultRef(REQUEST, caches.partitions(bound).iterator().next(), null, null);
    killed(kept);
    assertThat(refreshedAs).hasSize(2);
    broken = true;
    for (int time = 0; time < MANY; time++) {
      killed(kept);
    }
    broken = false;
    killed(kept);
    assertThat(refreshedAs).hasSize(3);
    assertThat(refresher.dropped()).isZero();
  }

  private void killed(CachedResultRef kept) {
    refresher.onHotInvalidated(kept);
    channel.runPendingTasks();
  }

  /** Who has bound since has never asked for it. */
  @Test
  void noRefreshIsSentAsAnotherIdentity() {
    channel.freezeTime();
    refresher.onHotExpiring(client(), REQUEST);
    channel.runPendingTasks();
    Octets first = bound.name();
    bound = identity("cn=two");
    pass();
    assertThat(refreshedAs).containsExactly(first);
    refresher.onHotExpiring(client(), REQUEST);
    bound = identity("cn=three");
    channel.runPendingTasks();
    assertThat(refreshedAs).containsExactly(first);
  }
}
