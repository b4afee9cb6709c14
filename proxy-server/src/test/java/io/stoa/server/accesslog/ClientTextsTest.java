// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.peer.Peer;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.CompletedOperation.Times;
import io.stoa.operation.OperationTrace;
import org.junit.jupiter.api.Test;

/** A kept text is that of the client, the peer and the identity of each operation. */
class ClientTextsTest {
  private static final Peer TLS = new Peer(null, "TLSv1.3", null, null, "");

  private int written;
  private final ClientTexts texts =
      new ClientTexts(
          operation -> {
            written++;
            return expected(operation).getBytes(UTF_8);
          });

  private static String expected(CompletedOperation operation) {
    String identity = new String(operation.identity().array(), UTF_8);
    return operation.client() + " " + operation.peer().tlsVersion() + " " + identity;
  }

  private void assertText(long client, Peer peer, String identity) {
    CompletedOperation operation =
        new CompletedOperation(
            client,
            peer,
            Octets.ofUtf8(identity),
            OpType.UNBIND_REQUEST,
            1,
            0,
            null,
            null,
            null,
            0,
            new Times(0, 0, 0),
            new OperationTrace(),
            0);
    assertThat(new String(texts.of(operation), UTF_8)).isEqualTo(expected(operation));
  }

  @Test
  void aTextIsWrittenOnceForEachPeerAndIdentity() {
    for (int i = 0; i < 3; i++) {
      assertText(1, Peer.UNKNOWN, "");
    }
    assertThat(written).isEqualTo(1);
    assertText(1, TLS, "");
    assertText(1, TLS, "cn=a");
    assertText(1, TLS, "");
    assertThat(written).isEqualTo(4);
  }

  /** Both clients have one place in the table. */
  @Test
  void clientsWithOnePlaceKeepTheirOwnTexts() {
    for (int i = 0; i < 3; i++) {
      assertText(7, Peer.UNKNOWN, "cn=a");
      assertText(7 + 1_024, Peer.UNKNOWN, "cn=b");
    }
  }
}
