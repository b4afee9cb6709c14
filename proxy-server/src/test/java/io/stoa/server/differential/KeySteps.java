// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.ALIAS;
import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.ODD;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.SUFFIX;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.search;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.RFC3672SubentriesRequestControl;
import io.stoa.testing.SearchBuilder;
import java.util.List;

/**
 * Reads that differ from their neighbour in one thing only, and whose answers differ: a cache key
 * that forgets that thing gives a wrong answer here.
 */
final class KeySteps {
  private KeySteps() {}

  static void addTo(Script script) {
    identity(script.group("differs in identity only"));
    scope(script.group("differs in scope only").on("alice"));
    deref(script.group("differs in deref only"));
    controls(script.group("differs in controls only"));
    typesOnly(script.group("differs in typesOnly only"));
  }

  private static void identity(Script script) {
    for (String who : List.of("anonymous", "alice", "bob", "manager", "service", "anonymous")) {
      script.on(who);
      script.cached(search(person("alice")).baseScope().attributes("description", "mail"));
      script.cached(search(person("staff0")).baseScope().attributes("telephoneNumber", "l"));
      script.cached(search(GROUPS).filter("(cn=group2)"));
      script.cached(search(PEOPLE).filter("(description=described staff5)").attributes("uid"));
      script.cached(search(PEOPLE).filter("(|(uid=hidden)(uid=bob))").attributes("uid"));
      script.either(compare(person("bob"), "description", "only for bob"));
    }
  }

  private static void scope(Script script) {
    for (int scope = 0; scope <= 2; scope++) {
      script.cached(search("cn=tree," + ODD).scope(scope).attributes("cn"));
    }
  }

  private static void deref(Script script) {
    for (int deref = 0; deref <= 3; deref++) {
      script.cached(search(ALIAS).baseScope().deref(deref).attributes("cn"));
    }
  }

  private static void controls(Script script) {
    SearchBuilder odd = search(ODD).filter("(cn=elsewhere)").attributes("cn");
    script.uncached(odd);
    script.cached(odd.request().with(new ManageDsaITRequestControl(false)));
    script.cached(odd.request().with(new ManageDsaITRequestControl(true)));
    script.uncached(odd);
    SearchBuilder policy = search(SUFFIX).oneLevel().filter("(cn=policy)").attributes("cn");
    script.cached(policy);
    script.cached(policy.request().with(new RFC3672SubentriesRequestControl(true, true)));
    script.cached(policy);
    script.cached(policy.request().with(new RFC3672SubentriesRequestControl(false, true)));
  }

  private static void typesOnly(Script script) {
    SearchBuilder person = search(person("staff8")).baseScope().attributes("cn", "sn");
    script.cached(person);
    script.cached(person.justTypes());
    script.cached(person);
  }
}
