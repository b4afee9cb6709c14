// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class FrameLimitsTest {

  /**
   * The defaults of slapd are 262143 and 4194303 octets of content. A request takes up to three
   * octets more upstream, where ids are longer: what we take, slapd must take, too.
   */
  @Test
  void defaultsStayWithinWhatSlapdTakes() {
    int shortestHeader = 5;
    int longerId = 3;
    assertThat(FrameLimits.DEFAULTS.beforeBind() - shortestHeader + longerId)
        .isLessThanOrEqualTo(262_143);
    assertThat(FrameLimits.DEFAULTS.afterBind() - shortestHeader + longerId)
        .isLessThanOrEqualTo(4_194_303);
  }

  @Test
  void limitsMustLeaveRoomForAMessage() {
    assertThatIllegalArgumentException().isThrownBy(() -> new FrameLimits(0, 5000));
    assertThatIllegalArgumentException().isThrownBy(() -> new FrameLimits(5000, 1023));
  }
}
