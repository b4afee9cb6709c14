// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class TimeFormTest {
  private static final Instant TIME = Instant.parse("2024-03-09T05:06:07.999Z");

  @Test
  void generalizedTime() {
    assertThat(TimeForm.GENERALIZED.print(TIME)).isEqualTo("20240309050607Z");
  }

  @Test
  void asIbmDirectoryPrintsIt() {
    assertThat(TimeForm.IBM.print(TIME)).isEqualTo("2024-03-09 05:06:07 GMT");
  }
}
