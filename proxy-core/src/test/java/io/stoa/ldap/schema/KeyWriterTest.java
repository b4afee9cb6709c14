// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyWriterTest {
  @Test
  void numbersAreInBase128() {
    assertThat(new KeyWriter(1).number(1).number(16_384).toByteArray())
        .isEqualTo(HexFormat.of().parseHex("01808001"));
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
