// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

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
  }

  @Test
  void rejectsAnInvalidUuid() {
    assertThat(Uuid.parse("597ae2f6".getBytes(US_ASCII))).isNull();
    assertThat(Uuid.parse((TEXT + "0").getBytes(US_ASCII))).isNull();
    assertThat(Uuid.parse(TEXT.replace('5', 'x').getBytes(US_ASCII))).isNull();
  }
}
