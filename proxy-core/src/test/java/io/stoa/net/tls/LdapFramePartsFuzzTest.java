// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.stoa.net.codec.FrameDecoderChannel;
import java.util.List;

/** Seeds are in src/test/resources; {@code JAZZER_FUZZ=1} looks for more. */
class LdapFramePartsFuzzTest {
  private static final int MAX = 1 << 16;

  /**
   * A message in parts is the collected message, unless its end is malformed. Elements with unknown
   * tags at its end (RFC 4511, section 4) stay in it; a collected message leaves them out.
   */
  @FuzzTest(maxDuration = "30m")
  void partsAreTheSameMessage(byte[] octets) {
    try (FrameDecoderChannel whole = new FrameDecoderChannel(MAX);
        FrameDecoderChannel inParts = new FrameDecoderChannel(MAX, 1)) {
      whole.send(octets);
      inParts.sendInPieces(octets);
      assertThat(inParts.errors).hasSizeLessThan(2);
      if (whole.errors.isEmpty()) {
        assertThat(inParts.messages).hasSameSizeAs(whole.messages);
        assertBegins(inParts.messages, whole.messages);
      } else {
        int complete = whole.messages.size();
        assertThat(inParts.messages).hasSizeGreaterThanOrEqualTo(complete);
        assertBegins(inParts.messages, whole.messages);
      }
    }
  }

  private static void assertBegins(List<String> inParts, List<String> collected) {
    for (int i = 0; i < collected.size(); i++) {
      assertThat(inParts.get(i)).startsWith(collected.get(i));
    }
  }
}
