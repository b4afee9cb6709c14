// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.net.peer.Network;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExclusionsTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.1, false",
    "192.168.1.7, 192.168.1.7, true",
    "192.168.1.7, 192.168.1.6, false",
    "0.0.0.0/0, 8.8.8.8, true",
    "10.1.2.0/23, 10.1.3.255, true",
    "fd00::/8, fd12::1, true",
    "fd00::/8, fe80::1, false",
    "10.0.0.0/8, ::1, false"
  })
  void aNetworkHoldsItsAddresses(String network, String address, boolean held)
      throws UnknownHostException {
    assertThat(Network.parse(network).contains(InetAddress.getByName(address))).isEqualTo(held);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "localhost", "10.0.0.0/33", "10.0.0.256", "fd00::/129", "10.0.0.0/x"})
  void anInvalidNetworkIsRefusedByName(String text) {
    assertThatThrownBy(() -> new Exclusions(List.of(), List.of(), List.of(), List.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "'");
  }
}
