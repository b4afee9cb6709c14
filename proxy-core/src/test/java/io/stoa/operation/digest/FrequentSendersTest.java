// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The senders with most searches. */
class FrequentSendersTest {
  private final FrequentSenders senders = new FrequentSenders();

  private static Octets name(String text) {
    return Octets.of(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void countsAreExactWhileThereIsRoom() {
    senders.add(name("a"), 2);
    senders.add(name("b"), 5);
    senders.add(name("a"), 1);
    assertThat(senders.list())
        .containsExactly(
            new DigestStatus.Sender(name("b"), 5, 0), new DigestStatus.Sender(name("a"), 3, 0));
  }

  @Test
  void theFrequentOnesStayAmongThousands() {
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 30_000; i++) {
      senders.add(name(i % 3 == 0 ? "frequent" : "rare" + random.nextInt(5_000)), 1);
    }
    DigestStatus.Sender first = senders.list().get(0);
    assertThat(senders.list()).hasSize(8);
    assertThat(first.name()).isEqualTo(name("frequent"));
    assertThat(first.count()).isBetween(10_000L, 10_000L + first.excess());
  }

  @Test
  void longNamesAreCut() {
    senders.add(name("x".repeat(300)), 1);
    senders.add(name("x".repeat(300)), 1);
    assertThat(senders.list())
        .containsExactly(new DigestStatus.Sender(name("x".repeat(256)), 2, 0));
  }
}
