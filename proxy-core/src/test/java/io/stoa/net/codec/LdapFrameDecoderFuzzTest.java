// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

/** Seeds are in src/test/resources; {@code JAZZER_FUZZ=1} looks for more. */
class LdapFrameDecoderFuzzTest {
  private static final int MAX = 1 << 16;

  /** Whatever is received, in whatever pieces, gives the same messages and at most one error. */
  @FuzzTest(maxDuration = "30m")
  void piecesDoNotMatter(byte[] octets) {
    try (FrameDecoderChannel whole = new FrameDecoderChannel(MAX);
        FrameDecoderChannel inPieces = new FrameDecoderChannel(MAX)) {
      whole.send(octets);
      inPieces.sendInPieces(octets);
      assertThat(inPieces.messages).isEqualTo(whole.messages);
      assertThat(inPieces.errors).isEqualTo(whole.errors).hasSizeLessThan(2);
      assertThat(inPieces.decoder().isMidFrame()).isEqualTo(whole.decoder().isMidFrame());
    }
  }
}
