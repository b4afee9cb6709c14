// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Mutants name methods that exist: a copy is made of each, and its class can be loaded. */
class MutantTest {
  @ParameterizedTest
  @EnumSource
  void changesAMethodThatExists(Mutant mutant) {
    assertThatCode(() -> mutant.copy().loadChanged()).doesNotThrowAnyException();
  }
}
