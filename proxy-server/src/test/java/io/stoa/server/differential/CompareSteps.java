// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.ALICE;
import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.compare;

/** Compares: true, false, and those that the directory cannot decide. */
final class CompareSteps {
  private static final String GROUP = "cn=group1," + GROUPS;

  private CompareSteps() {}

  static void addTo(Script script) {
    script.group("compares").on("alice");
    script.cached(compare(GROUP, "member", ALICE));
    script.cached(compare(GROUP, "member", ALICE.toUpperCase(java.util.Locale.ROOT)));
    script.cached(compare(GROUP, "member", person("staff9")));
    script.cached(compare(person("staff3"), "cn", "staff person 3"));
    script.cached(compare(person("staff3"), "CN", "Staff Person 3"));
    script.cached(compare(person("staff3"), "2.5.4.3", "Staff Person 4"));
    script.cached(compare(person("staff3"), "cn;lang-de", "Mitarbeiter 3"));
    script.cached(compare(person("staff3"), "objectClass", "person"));
    script.cached(compare(person("staff3"), "homeDirectory", "/HOME/STAFF3"));
    script.cached(compare(person("staff3"), "uidNumber", "10003"));
    script.uncached(compare(ALICE, "userPassword", "pw-alice"));
    script.refusedEither(compare(person("nobody"), "cn", "x"));
    script.refusedEither(compare(person("staff3"), "undefinedAttribute", "x"));
    script.refusedEither(compare(person("staff3"), "title", "x"));
    script.refusedEither(compare(person("staff3"), "uidNumber", "abc"));
    script.refusedEither(compare("no name", "cn", "x"));
    script.refusedEither(compare(person("hidden"), "cn", "x"));
    script.refusedEither(compare("", "cn", "x"));
    script.on("anonymous");
    script.refusedEither(compare(GROUP, "member", ALICE));
  }
}
