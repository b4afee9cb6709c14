// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import io.stoa.ldap.Octets;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Object classes whose entries a directory shows, or hides, by other rules than the filter.
 * Stateless.
 */
final class SpecialClasses {
  private static final Set<Octets> KEYS =
      Stream.of(
              "referral",
              "2.16.840.1.113730.3.2.6",
              "alias",
              "2.5.6.1",
              "subentry",
              "2.5.17.0",
              "ldapsubentry",
              "2.16.840.1.113719.2.142.6.1.1",
              "glue",
              "1.3.6.1.4.1.4203.666.3.4",
              "nstombstone",
              "2.16.840.1.113730.3.2.113",
              "dynamicobject",
              "1.3.6.1.4.1.1466.101.119.2")
          .map(Octets::ofUtf8)
          .collect(Collectors.toUnmodifiableSet());

  private SpecialClasses() {}

  static boolean isAny(Set<Octets> classes) {
    return !Collections.disjoint(classes, KEYS);
  }
}
