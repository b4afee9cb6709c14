// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Names of entries in the forms in which servers write them. */
class UuidTest {
  private static final String TEXT = "597ae2f6-16a6-1027-98f4-d28b5365dc14";

  @Test
  void allFormsOfAUuidAreEqual() {
    Uuid uuid = Uuid.parse(TEXT.getBytes(US_ASCII));
    assertThat(uuid).hasToString(TEXT);
    assertThat(Uuid.parse("597AE2F6-16a61027-98f4d28b-5365dc14".getBytes(US_ASCII)))
        .isEqualTo(uuid);
    byte[] octets = {
      0x59,
      0x7a,
      (byte) 0xe2,
      (byte) 0xf6,
      0x16,
      (byte) 0xa6,
      0x10,
      0x27,
      (byte) 0x98,
      (byte) 0xf4,
      (byte) 0xd2,
      (byte) 0x8b,
      0x53,
      0x65,
      (byte) 0xdc,
      0x14
    };
    assertThat(Uuid.of(octets)).isEqualTo(uuid);
  }

  @Test
  void rejectsAnInvalidUuid() {
    assertThat(Uuid.parse("597ae2f6".getBytes(US_ASCII))).isNull();
    assertThat(Uuid.parse((TEXT + "0").getBytes(US_ASCII))).isNull();
    assertThat(Uuid.parse(TEXT.replace('5', 'x').getBytes(US_ASCII))).isNull();
    assertThatThrownBy(() -> Uuid.of(new byte[3])).isInstanceOf(IllegalArgumentException.class);
  }
}
