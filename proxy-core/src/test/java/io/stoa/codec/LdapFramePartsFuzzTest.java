// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Seeds are in src/test/resources; {@code JAZZER_FUZZ=1} looks for more. */
class LdapFramePartsFuzzTest {
  private static final int MAX = 1 << 16;

  /** What is not collected is the same message, unless something is wrong with its end. */
  @FuzzTest(maxDuration = "30m")
  void partsAreTheSameMessage(byte[] octets) {
    try (Received whole = new Received(MAX);
        Received inParts = new Received(MAX, 1)) {
      whole.send(octets);
      inParts.sendInPieces(octets);
      assertThat(inParts.errors).hasSizeLessThan(2);
      if (whole.errors.isEmpty()) {
        assertThat(inParts.messages).isEqualTo(whole.messages);
      } else {
        int complete = whole.messages.size();
        assertThat(inParts.messages).hasSizeGreaterThanOrEqualTo(complete);
        assertThat(inParts.messages.subList(0, complete)).isEqualTo(whole.messages);
      }
    }
  }
}
