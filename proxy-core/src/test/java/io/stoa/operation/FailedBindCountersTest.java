// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.LdapResultCode;
import io.stoa.ldap.protocol.Octets;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Failed binds are counted by network, in bounded memory. */
class FailedBindCountersTest {
  private final FailedBindCounters failures = new FailedBindCounters();

  private static Octets network(int number) {
    return Octets.of(ByteBuffer.allocate(4).putInt((10 << 24) + number).array());
  }

  @Test
  void theListHasTheNetworksWithMostFailures() {
    for (int network = 0; network < 300; network++) {
      failures.add(network(network), 49);
    }
    failures.add(network(7), 32);
    assertThat(failures.top()).hasSize(100);
    assertThat(failures.top().get(0).network()).isEqualTo("10.0.0.7");
    assertThat(failures.top().get(0).results())
        .containsEntry(LdapResultCode.INVALID_CREDENTIALS, 1L)
        .containsEntry(LdapResultCode.NO_SUCH_OBJECT, 1L);
  }

  @Test
  void theNetworkWithTheOldestFailureIsEvicted() {
    failures.add(network(0), 49);
    failures.add(network(1), 49);
    for (int network = 2; network <= 1_000; network++) {
      failures.add(network(0), 49);
      failures.add(network(network), 49);
    }
    assertThat(failures.takeUnreported())
        .hasSize(1_000)
        .extracting(FailedBindCounters.OfNetwork::network)
        .contains("10.0.0.0")
        .doesNotContain("10.0.0.1");
    assertThat(failures.takeUnreported()).isEmpty();
    assertThat(failures.top().get(0).count()).isEqualTo(1_000);
  }

  @Test
  void networksHaveNames() {
    failures.add(Octets.EMPTY, 49);
    failures.add(Octets.of(new byte[] {0x20, 1, 0xd, (byte) 0xb8, 0, 0, 0, 1}), 49);
    assertThat(failures.top())
        .extracting(FailedBindCounters.OfNetwork::network)
        .containsExactlyInAnyOrder("local sockets", "2001:db8:0:1:0:0:0:0/64");
  }
}
