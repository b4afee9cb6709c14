// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PrintableTest {
  @Test
  void readableTextIsKept() {
    String text = "cn=Zo\u00eb M\u00fcller,ou=\u5c71\u7530 \ud83d\ude00 100 %";
    assertThat(Printable.of(text)).isEqualTo(text);
  }

  @Test
  void controlAndBidiCharactersAreReplaced() {
    assertThat(Printable.of("\u001b[2J\u0007x\u009b31m\u007f")).isEqualTo("?[2J?x?31m?");
    assertThat(Printable.of("a\u202eb\u200bc\u2066d\ufeff")).isEqualTo("a?b?c?d?");
    assertThat(Printable.of("lonely \ud800 half")).isEqualTo("lonely ? half");
  }

  @Test
  void aMessageIsOneLine() {
    assertThat(Printable.of("one\r\ntwo\tthree\u2028four")).isEqualTo("one  two three?four");
  }
}
