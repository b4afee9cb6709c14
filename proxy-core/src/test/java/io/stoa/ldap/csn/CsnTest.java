// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.csn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is taken for a change sequence number. */
class CsnTest {
  private static final String ONE = "20260101000000.000002Z#00000a#0F1#9bcdeE";

  private static @Nullable Csn parsed(String text) {
    return Csn.parse(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void parsesAValidCsn() {
    assertThat(parsed(ONE)).isEqualTo(new Csn(ONE));
    assertThat(new Csn(ONE).origin()).isEqualTo("0F1");
    assertThat(new Csn(ONE).isOrdered()).isTrue();
  }

  /** No octet of it may be another that does not belong there. */
  @Test
  void rejectsAnInvalidCsn() {
    for (int i = 0; i < ONE.length(); i++) {
      for (String other : new String[] {"g", "/", ":", "@", "\u00b2", "\u00ff"}) {
        String text = ONE.substring(0, i) + other + ONE.substring(i + 1);
        assertThat(parsed(text)).as(text).isNull();
        assertThatThrownBy(() -> new Csn(text)).isInstanceOf(IllegalArgumentException.class);
      }
    }
    assertThat(parsed("")).isNull();
    assertThat(parsed(ONE.substring(1))).isNull();
    assertThat(parsed(ONE + "0")).isNull();
    assertThat(parsed("a" + ONE.substring(1))).as("no decimal digit").isNull();
  }

  @Test
  void aPackedCsnHasTheTextThatTheServerHasWrittenAndItsOrder() {
    List<String> texts =
        List.of(
            "00000000000000.000000Z#000000#000#000000",
            "20240309050607.000000Z#000000#000#000000",
            "20240309050607.000007Z#ffffff#fff#ffffff",
            "20240309050607.000008Z#000000#000#000000",
            "20240309050607.000008Z#00000A#001#000000",
            "20240309050607.000008Z#00000a#001#000000",
            "20240309050607.999999Z#ffffff#fff#ffffff",
            "20240309050608.000000Z#000000#000#000001",
            "99999999999999.999999Z#ffffff#fff#ffffff");
    for (String text : texts) {
      Csn csn = new Csn(text);
      assertThat(csn.text()).isEqualTo(text);
      assertThat(csn).isEqualTo(new Csn(text)).hasSameHashCodeAs(new Csn(text));
      for (String other : texts) {
        assertThat(Integer.signum(csn.compareTo(new Csn(other))))
            .isEqualTo(Integer.signum(text.compareTo(other)));
        assertThat(csn.equals(new Csn(other))).isEqualTo(text.equals(other));
      }
    }
  }

  @Test
  void aSubstituteCsnIsUnordered() {
    Csn one = Csn.substituteFor(new byte[] {1});
    assertThat(one).isEqualTo(Csn.substituteFor(new byte[] {1}));
    assertThat(one).isNotEqualTo(Csn.substituteFor(new byte[] {2}));
    assertThat(one.isOrdered()).isFalse();
  }
}
