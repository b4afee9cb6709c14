// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetiredWordsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Vigil",
        "clearSuspicion",
        "MOST_DEBTS",
        "LDAPErrand",
        "errandOf",
        "One of its ties."
      })
  void retiredWordsAreFoundInNamesAndSentences(String text) {
    assertThat(RetiredWords.areIn(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"background", "maxOutstanding", "Properties", "SUSPECT", "Airlanes"})
  void partsOfOtherWordsAreNotFound(String text) {
    assertThat(RetiredWords.areIn(text)).isFalse();
  }
}
