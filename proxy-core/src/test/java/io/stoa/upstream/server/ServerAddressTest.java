// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.upstream.server.ServerAddress.Scheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerAddressTest {
  @ParameterizedTest
  @CsvSource({
    "ldap://a, ldap://a:389",
    "LDAP://a:1/, ldap://a:1",
    "ldaps://a, ldaps://a:636",
    "ldaps://[::1]:3269, ldaps://[::1]:3269",
    "ldapi://%2Frun%2Fslapd%2Fldapi, ldapi://%2Frun%2Fslapd%2Fldapi",
    "ldapi://%2frun%2Fmy%20ldapi/, ldapi://%2Frun%2Fmy%20ldapi",
    "ldapi:///run/ldapi, ldapi://%2Frun%2Fldapi",
  })
  void printsTheParsedUrl(String url, String printed) {
    ServerAddress address = ServerAddress.parse(url);
    assertThat(address).hasToString(printed);
    assertThat(ServerAddress.parse(printed)).isEqualTo(address);
  }

  @Test
  void theSchemeDistinguishesAddresses() {
    assertThat(ServerAddress.parse("ldap://a:636")).isNotEqualTo(ServerAddress.parse("ldaps://a"));
    assertThat(ServerAddress.parse("ldap://a")).isEqualTo(new ServerAddress("a", 389));
    assertThat(ServerAddress.parse("ldapi:///run/ldapi"))
        .isEqualTo(new ServerAddress(Scheme.LDAPI, "/run/ldapi", 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "http://a",
        "ldap:///",
        "ldap://a/dc=x",
        "ldaps://a?x",
        "ldap://u@a",
        "ldap://a:0",
        "ldap://a:70000",
        "ldapi://",
        "ldapi:///",
        "ldapi://run",
        "ldapi://%2Frun/ldapi",
        "ldapi:///run?x",
        "ldap://a b",
      })
  void rejectsAnInvalidUrl(String url) {
    assertThatThrownBy(() -> ServerAddress.parse(url)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesAPathThatNoSocketCanHave() {
    assertThat(ServerAddress.parse("ldapi:///" + "a".repeat(106)).host()).hasSize(107);
    assertThatThrownBy(() -> ServerAddress.parse("ldapi:///" + "a".repeat(107)))
        .hasMessageContaining("longer than the 107 bytes");
  }

  @ParameterizedTest
  @CsvSource({
    "ldap://localhost, true",
    "ldaps://127.1.2.3, true",
    "ldap://[::1], true",
    "ldapi:///run/ldapi, true",
    "ldap://127.example.org, false",
    "ldap://10.0.0.1, false",
  })
  void knowsLocalAddresses(String url, boolean local) {
    assertThat(ServerAddress.parse(url).isLocal()).isEqualTo(local);
  }

  @Test
  void srvUrlsNameADomain() {
    ServerAddress domain = ServerAddress.parse("LDAP+srv://example.com");
    assertThat(domain.isDomain()).isTrue();
    assertThat(domain.serviceName()).isEqualTo("_ldap._tcp.example.com");
    assertThat(domain).hasToString("ldap+srv://example.com");
    assertThat(ServerAddress.parse("ldaps+srv://a.b").serviceName()).isEqualTo("_ldaps._tcp.a.b");
    assertThat(ServerAddress.parse("ldap://example.com").isDomain()).isFalse();
    for (String url :
        new String[] {
          "ldapi+srv://a", "ldap+srv://a:389", "ldap+srv://", "x+srv://a", "ldap://a:0"
        }) {
      assertThatThrownBy(() -> ServerAddress.parse(url))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
