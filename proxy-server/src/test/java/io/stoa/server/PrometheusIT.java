// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Prometheus reads Stoa's metrics, and evaluates each query of the alert rules. */
class PrometheusIT {
  @Test
  void promtoolAcceptsTheRules() {
    Promtool.Verdict verdict = Promtool.checkRules(PrometheusFiles.RULES);
    assertThat(verdict.code()).as(verdict.text()).isZero();
  }

  @Test
  void eachRuleFiresAsTested() {
    Promtool.Verdict verdict = Promtool.testRules(PrometheusFiles.TESTS);
    assertThat(verdict.code()).as(verdict.text()).isZero();
  }
}
