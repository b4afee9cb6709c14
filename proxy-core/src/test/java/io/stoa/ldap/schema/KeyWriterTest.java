// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyWriterTest {
  @ParameterizedTest
  @CsvSource({
    "0,00",
    "1,01",
    "127,7f",
    "128,8001",
    "16384,808001",
    "2147483647,ffffffff07",
    "-1,ffffffff0f"
  })
  void numbersInBase128(int number, String hex) {
    assertThat(new KeyWriter(1).number(number).toByteArray())
        .isEqualTo(HexFormat.of().parseHex(hex));
  }

  @Test
  void differentPartsGiveDifferentKeys() {
    Set<String> keys = new HashSet<>();
    String[] parts = {"", "a", "aa", "b", "ab"};
    for (String one : parts) {
      for (String other : parts) {
        byte[] key =
            new KeyWriter(2)
                .string(one.getBytes(UTF_8))
                .string(other.getBytes(UTF_8))
                .toByteArray();
        keys.add(HexFormat.of().formatHex(key));
      }
    }
    assertThat(keys).hasSize(parts.length * parts.length);
  }
}
