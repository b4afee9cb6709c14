// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Base128Test {
  private static final int NUMBERS = 10_000;

  @ParameterizedTest
  @CsvSource({
    "0,00",
    "1,01",
    "127,7f",
    "128,8001",
    "16383,ff7f",
    "16384,808001",
    "2147483647,ffffffff07",
    "-2147483648,8080808008",
    "-1,ffffffff0f"
  })
  void numberHasItsOctets(int number, String hex) {
    byte[] octets = new byte[Base128.MAX_OCTETS];
    int end = Base128.write(octets, 0, number);
    assertThat(Arrays.copyOf(octets, end)).isEqualTo(HexFormat.of().parseHex(hex));
    assertThat(Base128.read(octets, 0)).isEqualTo(number);
    assertThat(Base128.indexAfter(octets, 0)).isEqualTo(end);
  }

  /** Numbers of all lengths stand one after the other. */
  @Test
  void sequenceIsReadAsWritten() {
    int[] numbers = new Random(1).ints(NUMBERS).map(number -> number >>> (number & 31)).toArray();
    byte[] octets = new byte[NUMBERS * Base128.MAX_OCTETS];
    int end = 0;
    for (int number : numbers) {
      end = Base128.write(octets, end, number);
    }
    int at = 0;
    for (int number : numbers) {
      assertThat(Base128.read(octets, at)).isEqualTo(number);
      at = Base128.indexAfter(octets, at);
    }
    assertThat(at).isEqualTo(end);
  }
}
