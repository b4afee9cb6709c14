// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.anonymousBind;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.search;

import io.stoa.ldap.protocol.Oids;
import java.util.Locale;

/** One connection that becomes one person after the other, between its reads. */
final class IdentitySteps {
  private static final String[] PEOPLE_WITH_PASSWORD = {"alice", "bob", "manager", "service"};

  private IdentitySteps() {}

  static void addTo(Script script) {
    script.group("from one identity to another").on("changing often");
    for (String from : PEOPLE_WITH_PASSWORD) {
      for (String to : PEOPLE_WITH_PASSWORD) {
        script.once(bind(person(from), "pw-" + from));
        addReads(script, to);
        script.once(bind(person(to), "pw-" + to));
        addReads(script, from);
      }
      fails(script, from);
    }
  }

  /** Reads of somebody's that not everybody may do. */
  private static void addReads(Script script, String whose) {
    script.cached(search(person(whose)).baseScope().attributes("description", "cn"));
    script.either(compare(person(whose), "description", "only for " + whose));
  }

  /** Whoever fails to bind is nobody, and whoever gives up his identity too. */
  private static void fails(Script script, String who) {
    String name = person(who).toUpperCase(Locale.ROOT);
    script.once(bind(person(who), "pw-" + who)).refused(bind(name, "wrong for " + who));
    script.cached(search(person(who)).baseScope().attributes("description", "mail"));
    script.once(bind(name, "pw-" + who)).once(extended(Oids.WHO_AM_I));
    script.cached(search(GROUPS).filter("(member=" + person("alice") + ")").attributes("member"));
    script.once(anonymousBind()).once(extended(Oids.WHO_AM_I));
    script.cached(search(PEOPLE).filter("(uid=" + who + ")").attributes("description"));
  }
}
