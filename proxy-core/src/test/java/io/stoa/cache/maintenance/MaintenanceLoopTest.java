// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.cache.result.Caches.CachedResultRef;
import io.stoa.cache.result.Caches.ClockAndRandom;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** As which client something is asked again. */
class MaintenanceLoopTest {
  private static final Octets SHARED = Octets.ofUtf8("shared");
  private static final Octets OWN = Octets.ofUtf8("own");

  private final ClientSession one = client("cn=one");
  private final ClientSession two = client("cn=two");
  private final Map<ClientIdentity, Set<Octets>> partitions = new HashMap<>();

  private static ClientSession client(String dn) {
    ClientIdentity identity = ClientIdentity.simple(dn.getBytes(UTF_8), null);
    return new InternalSession(ImmediateEventExecutor.INSTANCE, identity);
  }

  private MaintenanceLoop place(ClientSession... clients) {
    MaintenanceLoop.Context terms =
        new MaintenanceLoop.Context(
            () -> List.of(clients),
            identity -> partitions.getOrDefault(identity, Set.of()),
            null,
            null,
            ClockAndRandom.SYSTEM);
    return new MaintenanceLoop(ImmediateEventExecutor.INSTANCE, null, terms);
  }

  private static CachedResultRef kept(Octets partition, ClientSession reader) {
    Octets name = reader == null ? null : reader.identity().name();
    return new CachedResultRef(Octets.EMPTY, partition, name, null);
  }

  @Test
  void aPrivateResultIsReadAsItsIdentity() {
    partitions.put(one.identity(), Set.of(OWN, SHARED));
    partitions.put(two.identity(), Set.of(SHARED));
    assertThat(place(one, two).client(kept(OWN, null))).isSameAs(one);
    assertThat(place(two).client(kept(OWN, null))).isNull();
  }

  @Test
  void aSharedResultIsReadAsItsReaderOrAnyMember() {
    partitions.put(one.identity(), Set.of(OWN, SHARED));
    partitions.put(two.identity(), Set.of(SHARED));
    assertThat(place(one, two).client(kept(SHARED, one))).isSameAs(one);
    assertThat(place(one, two).client(kept(SHARED, two))).isSameAs(two);
    assertThat(place(two).client(kept(SHARED, one))).isSameAs(two);
  }

  /** Whoever has read it cannot say whether others are given the same. */
  @Test
  void aSharedResultIsComparedAsAnotherMember() {
    partitions.put(one.identity(), Set.of(OWN, SHARED));
    partitions.put(two.identity(), Set.of(SHARED));
    assertThat(place(one, two).witness(kept(SHARED, one))).isSameAs(two);
    assertThat(place(one, two).witness(kept(SHARED, two))).isSameAs(one);
    assertThat(place(one).witness(kept(SHARED, one))).isNull();
    assertThat(place(one).client(kept(SHARED, one))).isSameAs(one);
    assertThat(place(one, two).witness(kept(OWN, null))).isSameAs(one);
    assertThat(place().witness(kept(SHARED, one))).isNull();
  }

  @Test
  void aNamedClientIsFoundWhileConnected() {
    MaintenanceLoop maintenanceLoop = place(one, two);
    maintenanceLoop.client(kept(SHARED, null));
    assertThat(maintenanceLoop.clientNamed(two.identity().name())).isSameAs(two);
    assertThat(maintenanceLoop.clientNamed(Octets.ofUtf8("cn=three"))).isNull();
  }

  @Test
  void aFormerMemberIsNotAsked() {
    partitions.put(one.identity(), Set.of(OWN, SHARED));
    MaintenanceLoop maintenanceLoop = place(one);
    assertThat(maintenanceLoop.client(kept(SHARED, one))).isSameAs(one);
    partitions.put(one.identity(), Set.of(OWN));
    assertThat(maintenanceLoop.client(kept(SHARED, one))).isNull();
  }
}
