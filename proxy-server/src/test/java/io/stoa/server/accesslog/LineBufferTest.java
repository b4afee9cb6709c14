// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Texts of clients stay within a line and within a string of JSON. */
class LineBufferTest {
  private static final byte[] ALL = new byte[256];

  static {
    for (int octet = 0; octet < ALL.length; octet++) {
      ALL[octet] = (byte) octet;
    }
  }

  /** Buffers of all these sizes must grow at another octet. */
  @Test
  void eachOctetIsReadBackFromJson() throws Exception {
    String expected = text(new LineBuffer(16).addEscaped(ALL));
    assertThat(expected).matches("[ -~]*").contains("\\00", "\\22", "\\5c", "\\7f", "\\ff");
    for (int capacity = 1; capacity <= 3 * ALL.length; capacity++) {
      String json = text(LineBuffer.json(capacity).add("{\"x\":\"").addEscaped(ALL).add("\"}"));
      assertThat(new JSONObject(json).getFieldAsString("x")).isEqualTo(expected);
    }
  }

  @Test
  void assertionValuesHaveNoParentheses() {
    assertThat(text(new LineBuffer(1).addAssertion("a(b)*".getBytes(US_ASCII))))
        .isEqualTo("a\\28b\\29\\2a");
  }

  @Test
  void memoryOfLongLinesIsReturned() {
    LineBuffer buffer = new LineBuffer(8);
    buffer.add(new byte[2 << 20]);
    buffer.clear();
    assertThat(buffer.array()).hasSize(8);
  }

  private static String text(LineBuffer buffer) {
    return new String(Arrays.copyOf(buffer.array(), buffer.length()), US_ASCII);
  }
}
