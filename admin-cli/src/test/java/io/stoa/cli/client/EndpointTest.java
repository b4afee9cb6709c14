// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.stoa.cli.client.Endpoint.Scheme;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndpointTest {
  @Test
  void urlsAsInOtherTools() {
    assertThat(Endpoint.parse("ldap://h")).isEqualTo(new Endpoint(Scheme.LDAP, "h", 389));
    assertThat(Endpoint.parse("LDAPS://h/")).isEqualTo(new Endpoint(Scheme.LDAPS, "h", 636));
    assertThat(Endpoint.parse("ldap://[::1]:1389"))
        .isEqualTo(new Endpoint(Scheme.LDAP, "::1", 1389))
        .hasToString("ldap://[::1]:1389");
  }

  @Test
  void socketsOfTheFileSystem() {
    Endpoint there = new Endpoint(Scheme.LDAPI, "/run/a+b/ldapi", 0);
    for (String url :
        List.of(
            "ldapi://%2Frun%2Fa+b%2Fldapi",
            "ldapi://%2frun%2fa%2bb%2fldapi/", "ldapi:///run/a+b/ldapi")) {
      assertThat(Endpoint.parse(url))
          .as(url)
          .isEqualTo(there)
          .hasToString("ldapi:///run/a+b/ldapi");
    }
    for (String url : List.of("ldapi://", "ldapi:///")) {
      assertThat(Endpoint.parse(url).host()).as(url).isEqualTo(Endpoint.DEFAULT_PATH);
    }
  }

  @Test
  void invalidUrlsAreRefused() {
    for (String url :
        List.of(
            "",
            "h",
            "http://h",
            "ldap://",
            "ldap://h:0",
            "ldap://h:70000",
            "ldap://h/dc=x",
            "ldap://u@h",
            "ldap://h?x",
            "ldapx://h",
            "ldap://a b")) {
      assertThatIllegalArgumentException().as(url).isThrownBy(() -> Endpoint.parse(url));
    }
  }

  @Test
  void loopbackAndSocketsAreOnThisMachine() {
    assertThat(List.of("ldapi://", "ldap://localhost", "ldap://127.0.0.9:3", "ldap://[::1]"))
        .allMatch(url -> Endpoint.parse(url).isOnThisMachine());
    assertThat(Endpoint.parse("ldap://127.0.0.1.example.com").isOnThisMachine()).isFalse();
  }
}
