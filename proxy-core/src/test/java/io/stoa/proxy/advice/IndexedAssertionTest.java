// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The assertions of a filter that need an index. */
class IndexedAssertionTest {
  @ParameterizedTest
  @CsvSource(
      delimiterString = " needs ",
      nullValues = "nothing",
      value = {
        "(mail=?) needs mail eq",
        "(mail;x-option=?) needs mail eq",
        "(mail=*) needs mail pres",
        "(mail=?*) needs mail sub",
        "(mail=*?*) needs mail sub",
        "(mail~=?) needs mail approx",
        "(age>=?) needs age eq",
        "(age<=?) needs age eq",
        "(objectclass=person) needs nothing",
        "(&(objectclass=person)(mail=?)) needs mail eq",
        "(&(mail=?*)(uid=?)) needs uid eq",
        "(&(cn=*)(!(mail=?))) needs cn pres",
        "(|(mail=?)(uid=?)) needs mail eq, uid eq",
        "(|(mail=?)(objectclass=person)) needs nothing",
        "(&(objectclass=person)(|(mail=?)(uid=?))) needs mail eq, uid eq",
        "(&(sn=?)(|(mail=?)(uid=?))) needs sn eq",
        "(!(mail=?)) needs nothing",
        "(cn:caseexactmatch:=?) needs nothing",
        "(&) needs nothing",
        "(|) needs nothing",
        "(&(mail=?)(u... needs nothing",
        "(mail needs nothing",
        "text needs nothing",
      })
  void eachIsNamedWithTheKindOfIndex(String filter, String expected) {
    String found =
        IndexedAssertion.of(filter).stream()
            .sorted()
            .map(one -> one.attribute() + " " + one.type().word())
            .collect(Collectors.joining(", "));
    assertThat(found).isEqualTo(expected == null ? "" : expected);
  }
}
