// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import java.util.Random;

/** Seeds are in src/test/resources; {@code JAZZER_FUZZ=1} looks for more. */
class LdapFrameDecoderFuzzTest {
  private static final int MAX = 1 << 16;

  /** Whatever is received, in whatever pieces, gives the same messages and at most one error. */
  @FuzzTest(maxDuration = "30m")
  void piecesDoNotMatter(byte[] octets) {
    try (Received whole = new Received(MAX);
        Received inPieces = new Received(MAX)) {
      whole.send(octets);
      sendInPieces(inPieces, octets);
      assertThat(inPieces.messages).isEqualTo(whole.messages);
      assertThat(inPieces.errors).isEqualTo(whole.errors).hasSizeLessThan(2);
      assertThat(inPieces.decoder().isMidFrame()).isEqualTo(whole.decoder().isMidFrame());
    }
  }

  /** What is not collected is the same message, unless something is wrong with its end. */
  @FuzzTest(maxDuration = "30m")
  void partsAreTheSameMessage(byte[] octets) {
    try (Received whole = new Received(MAX);
        Received inParts = new Received(MAX, 1)) {
      whole.send(octets);
      sendInPieces(inParts, octets);
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

  private static void sendInPieces(Received received, byte[] octets) {
    Random random = new Random(Arrays.hashCode(octets));
    for (int offset = 0; offset < octets.length; ) {
      int length = Math.min(octets.length - offset, 1 + random.nextInt(20));
      received.send(octets, offset, length);
      offset += length;
    }
  }
}
