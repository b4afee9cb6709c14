// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.ghost.CacheSimulation;
import io.stoa.cache.ghost.GhostLookup;
import io.stoa.cache.ghost.GhostResult;
import io.stoa.cache.ghost.LargeAnswers;
import io.stoa.cache.sharing.EqualAnswers;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.operation.digest.DigestTable;
import io.stoa.operation.digest.SearchDigest;
import io.stoa.testing.Memory;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All statistics behind advice take at most 16 MiB, whatever clients send. */
class StatisticsMemoryTest {
  private static final long MAX_OCTETS = 16 << 20;
  private static final int PATTERNS = 3000;
  private static final int LOOKUPS = 4_000_000;
  private static final int SENDERS = 10;

  private final DigestTable digests = new DigestTable();
  private final CacheSimulation simulation = new CacheSimulation(100_000, 100_000, () -> LOOKUPS);
  private final LargeAnswers largeAnswers = new LargeAnswers();
  private final EqualAnswers equalAnswers = new EqualAnswers();

  private static String text(String begin, int number) {
    return begin + number + "x".repeat(250);
  }

  private static Octets octets(String text) {
    return Octets.of(text.getBytes(UTF_8));
  }

  private void fillDigests() {
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
      byte[] attribute = text("a", pattern).getBytes(UTF_8);
      SearchOp search =
          new SearchOp(
              text("dc=", pattern).getBytes(UTF_8),
              2,
              0,
              0,
              0,
              false,
              new FilterNode.Equality(attribute, new byte[] {'v'}),
              List.of(attribute, text("b", pattern).getBytes(UTF_8)));
      SearchDigest digest = digests.digest(search);
      for (int sender = 0; sender < SENDERS; sender++) {
        digest.addValues(sender);
        digest.addSender(octets(text("cn=", sender)), octets("1234"), 1);
      }
    }
  }

  private void fillSimulation() {
    for (int key = 0; key < LOOKUPS; key++) {
      int hash = Integer.reverse(key);
      if (simulation.isSampled(hash)) {
        GhostLookup lookup = new GhostLookup(hash, 0, 0, key, true);
        simulation.onMiss(lookup);
        simulation.onRead(lookup, new GhostResult(key, 0, true, 1, 500));
        largeAnswers.add(lookup, false, 1000, 1000);
      }
    }
  }

  private void fillEqualAnswers() {
    for (int query = 0; query < PATTERNS; query++) {
      SearchPattern pattern = new SearchPattern(text("dc=", query), 2, text("", query), "a", 0);
      for (int sender = 0; sender < SENDERS; sender++) {
        Octets name = octets("cn=" + query + "-" + sender + "x".repeat(200) + ",dc=x");
        equalAnswers.isCompared(query, name, List.of());
        equalAnswers.add(query, pattern, new EqualAnswers.Read(name, 0, 0, 0, 0, true));
      }
    }
  }

  @Test
  void allStatisticsTakeAtMost16Mebibytes() {
    long before = Memory.liveOctets();
    fillDigests();
    long afterDigests = Memory.liveOctets();
    fillSimulation();
    long afterSimulation = Memory.liveOctets();
    fillEqualAnswers();
    long all = Memory.liveOctets() - before;
    assertThat(all)
        .as(
            "digests %d, ghost caches and large answers %d",
            afterDigests - before, afterSimulation - afterDigests)
        .isBetween(1L, MAX_OCTETS);
    assertThat(digests.isFull()).isTrue();
  }
}
