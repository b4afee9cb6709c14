// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerOverrideTest {
  private static final ServerAddress ONE = new ServerAddress("192.0.2.1", 389);
  private static final ServerAddress TWO = new ServerAddress("192.0.2.2", 389);
  private static final List<ServerSpec> SERVERS =
      List.of(
          new ServerSpec(ONE, true, 1, 1),
          new ServerSpec(TWO, false, 3, 2, List.of("dc=x"), true, "again"));

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ldap://192.0.2.1:389 drained",
        "ldap://192.0.2.1:389 used weight 7",
        "ldaps://[2001:db8::1]:636 weight 999999999",
        "ldapi://%2Frun%2Fldapi drained weight 1",
        "ldap+srv://example.com used"
      })
  void printsTheParsedOverride(String text) {
    assertThat(ServerOverride.parse(text)).hasToString(text);
    assertThat(ServerOverride.parse("  " + text.replace(" ", "   ") + " ")).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "ldap://192.0.2.1:389",
        "drained",
        "ldap://192.0.2.1:389 Drained",
        "ldap://192.0.2.1:389 drained used",
        "ldap://192.0.2.1:389 weight",
        "ldap://192.0.2.1:389 weight 0",
        "ldap://192.0.2.1:389 weight -1",
        "ldap://192.0.2.1:389 weight 1234567890",
        "ldap://192.0.2.1:389 weight 1 drained"
      })
  void rejectsAnInvalidOverride(String text) {
    assertThatThrownBy(() -> ServerOverride.parse(text))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anOverrideChangesOnlyItsSettings() {
    List<ServerSpec> applied =
        ServerOverride.apply(
            SERVERS,
            List.of(
                ServerOverride.parse("ldap://192.0.2.2:389 used"),
                ServerOverride.parse("ldap://192.0.2.1:389 weight 5")));
    assertThat(applied)
        .containsExactly(
            new ServerSpec(ONE, true, 5, 1),
            new ServerSpec(TWO, false, 3, 2, List.of("dc=x"), false, "again"));
    assertThat(ServerOverride.apply(SERVERS, List.of())).isEqualTo(SERVERS);
  }

  @Test
  void overridesMustNameEachKnownServerOnce() {
    ServerOverride drained = ServerOverride.parse("ldap://192.0.2.1:389 drained");
    ServerOverride weighed = ServerOverride.parse("ldap://192.0.2.1:389 weight 5");
    assertThatThrownBy(() -> ServerOverride.apply(SERVERS, List.of(drained, weighed)))
        .hasMessageContaining("twice");
    ServerOverride other = ServerOverride.parse("ldap://192.0.2.3:389 drained");
    assertThatThrownBy(() -> ServerOverride.apply(SERVERS, List.of(other)))
        .hasMessageContaining("overrides ldap://192.0.2.3:389 is not one of")
        .hasMessageEndingWith(": ldap://192.0.2.1:389, ldap://192.0.2.2:389");
  }
}
