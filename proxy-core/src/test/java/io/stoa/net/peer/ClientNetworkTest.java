// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** Which clients limits count as of one network. */
class ClientNetworkTest {
  private static ClientNetwork of(String host) {
    return ClientNetwork.of(
        new Peer(new InetSocketAddress(host, 1), null, null, null, "ldap://x:389"));
  }

  @Test
  void addressesOfOneSlash24AreOneNetwork() {
    assertThat(of("192.0.2.1")).isEqualTo(of("192.0.2.255")).isNotEqualTo(of("192.0.3.1"));
    assertThat(of("::ffff:192.0.2.9")).isEqualTo(of("192.0.2.1"));
  }

  @Test
  void addressesOfOneSlash64AreOneNetwork() {
    assertThat(of("2001:db8::1")).isEqualTo(of("2001:db8::ffff:0:0:2"));
    assertThat(of("2001:db8:0:1::1")).isNotEqualTo(of("2001:db8::1"));
  }

  @Test
  void localSocketsOfOneUserAreOneNetwork() {
    ClientNetwork first = ClientNetwork.of(local(7));
    assertThat(first)
        .isEqualTo(ClientNetwork.of(local(7)))
        .isNotEqualTo(ClientNetwork.of(local(8)));
    assertThat(first).isNotEqualTo(of("0.0.0.7"));
  }

  private static Peer local(int uid) {
    return new Peer(null, null, null, new LocalUser(uid, 0, 0), "");
  }
}
