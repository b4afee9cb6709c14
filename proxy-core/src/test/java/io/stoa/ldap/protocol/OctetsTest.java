// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class OctetsTest {

  @Test
  void sameOctetsAreEqualAndHashAlike() {
    Random random = new Random(1);
    for (int length = 0; length < 200; length++) {
      byte[] octets = new byte[length];
      random.nextBytes(octets);
      Octets one = Octets.of(octets);
      Octets other = Octets.of(octets.clone());
      assertThat(one).isEqualTo(other).hasSameHashCodeAs(other).isEqualByComparingTo(other);
      assertThat(one.hashCode()).isEqualTo(one.hashCode()).isNotZero();
    }
  }

  /** Short ones, too, where the last octets fill a word only in part. */
  @Test
  void oneOctetMakesADifference() {
    for (int length = 1; length < 40; length++) {
      Set<Octets> all = new HashSet<>();
      Set<Integer> hashes = new HashSet<>();
      for (int index = 0; index < length; index++) {
        for (int bit = 0; bit < 8; bit++) {
          byte[] octets = new byte[length];
          octets[index] = (byte) (1 << bit);
          all.add(Octets.of(octets));
          hashes.add(Octets.of(octets).hashCode());
        }
      }
      assertThat(all).hasSize(8 * length);
      assertThat(hashes).hasSize(8 * length);
    }
  }

  @Test
  void zerosOfDifferentLengthsHashDifferently() {
    assertThat(IntStream.range(0, 100).map(n -> Octets.of(new byte[n]).hashCode()).distinct())
        .hasSize(100);
  }

  @Test
  void hashesSpreadOverBuckets() {
    int[] buckets = new int[1024];
    for (int number = 0; number < 64 * buckets.length; number++) {
      int hash = Octets.ofUtf8("uid=user." + number + ",ou=people,dc=example,dc=com").hashCode();
      buckets[(hash ^ hash >>> 16) & (buckets.length - 1)]++;
    }
    assertThat(Arrays.stream(buckets).max().orElseThrow()).isLessThan(2 * 64);
  }

  @Test
  void orderIsThatOfUnsignedOctets() {
    assertThat(Octets.of(Hex.octets("7f"))).isLessThan(Octets.of(Hex.octets("80")));
    assertThat(Octets.of(Hex.octets("80"))).isLessThan(Octets.of(Hex.octets("80 00")));
    assertThat(Octets.EMPTY).isLessThan(Octets.of(Hex.octets("00")));
  }

  @Test
  void textAndEmptyOctets() {
    assertThat(Octets.ofUtf8("\u00e9").array()).isEqualTo(Hex.octets("c3a9"));
    assertThat(Octets.of(new byte[0])).isSameAs(Octets.EMPTY);
    assertThat(Octets.EMPTY.length()).isZero();
    assertThat(Octets.EMPTY).isNotEqualTo("");
  }

  @Test
  void textShowsTheLengthOnly() {
    assertThat(Octets.ofUtf8("secret")).hasToString("Octets[6]");
  }
}
