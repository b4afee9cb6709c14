// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class AmountsTest {
  @Test
  void amountsAreReadable() {
    assertThat(Amounts.count(1_234_567L)).isEqualTo("1,234,567");
    assertThat(Amounts.decimal(0.271)).isEqualTo("0.27");
    assertThat(Amounts.decimal(12_345.6)).isEqualTo("12,346");
    assertThat(Amounts.decimal(0.0)).isEqualTo("0");
    assertThat(Amounts.percent(0.8314)).isEqualTo("83.1 %");
    assertThat(Amounts.octets(512L)).isEqualTo("512 bytes");
    assertThat(Amounts.octets(12_900_000L)).isEqualTo("12.3 MiB");
    assertThat(Amounts.octets(Long.MAX_VALUE)).endsWith(" TiB");
  }

  @Test
  void times() {
    assertThat(List.of(59L, 61L, 7_400L, 200_000L))
        .extracting(Amounts::seconds)
        .containsExactly("59 s", "1 min 1 s", "2 h 3 min", "2 d 7 h");
  }

  @Test
  void shortTimes() {
    assertThat(List.of(0.4, 850.0, 12_340.0, 1_230_000.0))
        .extracting(Amounts::micros)
        .containsExactly("0 us", "850 us", "12.3 ms", "1.2 s");
    assertThat(Amounts.micros(null)).isEqualTo("-");
  }

  @Test
  void anUnknownAmountIsADash() {
    assertThat(List.of(Amounts.count(null), Amounts.decimal(null), Amounts.percent(null)))
        .containsOnly("-");
    assertThat(List.of(Amounts.octets(null), Amounts.seconds(null))).containsOnly("-");
    assertThat(Amounts.share(0, 0)).isNull();
    assertThat(Amounts.share(1, 3)).isEqualTo(0.3333);
  }

  @Test
  void tablesAreAlignedAndClean() {
    List<String> lines = new TextTable().row("a", "b").row("long\u001b", "c").lines();
    assertThat(lines).containsExactly("a      b", "long?  c");
  }
}
