// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SaslMechanismTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"PLAIN", "SCRAM-SHA-512", "GSS-SPNEGO", "gssapi", "X-OF_A-VENDOR", "NTLM"})
  void mechanismsOfClientsPass(String name) {
    assertThat(SaslMechanism.isForwarded(name)).isTrue();
    assertThat(SaslMechanism.isOffered(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SCRAM-SHA-256-PLUS", "GS2-KRB5-plus"})
  void channelBindingIsForwardedButNotOffered(String name) {
    assertThat(SaslMechanism.isForwarded(name)).isTrue();
    assertThat(SaslMechanism.isOffered(name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "EXTERNAL",
        "external",
        "External-Plus",
        "EXTERNAL-PLUS-PLUS",
        "EXTERNALS",
        "EXTERNAL\0X",
        "EXTERNAL ",
        "\tEXTERNAL",
        "EXTERNAL\n",
        "",
        "\0",
        "A MECHANISM",
        "caf\u00e9",
        "A-MECHANISM-OF-21-LTR"
      })
  void externalAndInvalidMechanismsAreRefused(String name) {
    assertThat(SaslMechanism.isForwarded(name)).isFalse();
    assertThat(SaslMechanism.isOffered(name)).isFalse();
  }
}
