// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which server an administrator means. */
class BackendsTest {
  @ParameterizedTest
  @CsvSource({
    "ldap://10.0.0.1:3891, ldap://10.0.0.1:3891, true",
    "ldap://10.0.0.1:3891, ldap://10.0.0.11, false",
    "ldap://10.0.0.1:3891, ldap://10.0.0.1, false",
    "ldap://a.example.com:389, ldap://A.example.com, true",
    "ldap://a.example.com:389, ldap://a.example.com/, true",
    "ldaps://a.example.com:636, ldaps://a.example.com, true",
    "ldaps://a.example.com:6360, ldaps://a.example.com0, false",
    "ldaps://a.example.com:636, ldap://a.example.com, false",
  })
  void aServerIsNamedByItsUrl(String server, String wanted, boolean named) {
    Entry entry = new Entry("cn=server 1,cn=monitor", new Attribute("olmServerURI", server));
    assertThat(Backends.isNamed(new EntryValues(entry), wanted)).isEqualTo(named);
  }

  @Test
  void escapedNamesAreUnescaped() {
    EntryValues window = new EntryValues(new Entry("cn=a\\2Cb \\C3\\BC,cn=Windows,cn=Monitor"));
    assertThat(window.name()).isEqualTo("a,b \u00fc");
  }
}
