// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.digest.DigestStatus.Sender;
import io.stoa.operation.digest.ShortConnections.Status;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Connections count by their requests. */
class ShortConnectionsTest {
  private static final Octets NETWORK = Octets.of(new byte[] {10, 0, 0, 1});

  @Test
  void connectionsOfOneToThreeRequestsAreShort() {
    ShortConnections connections = new ShortConnections();
    connections.add(NETWORK, 0); // a probe
    connections.add(NETWORK, 1);
    connections.add(NETWORK, 3);
    connections.add(NETWORK, 4);
    assertThat(connections.status())
        .isEqualTo(new Status(3, 2, List.of(new Sender(NETWORK, 2, 0))));
  }
}
