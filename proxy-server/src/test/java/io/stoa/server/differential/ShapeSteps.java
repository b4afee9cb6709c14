// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.ALIAS;
import static io.stoa.server.differential.Directory.CROWD;
import static io.stoa.server.differential.Directory.GROUPS;
import static io.stoa.server.differential.Directory.OTHER;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.VALUES;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.search;

import io.stoa.testing.RawRequest;
import io.stoa.testing.SearchBuilder;

/** The same searches with every scope, alias policy and limit, with and without values. */
final class ShapeSteps {
  private static final int[] SIZE_LIMITS = {1, 2, 3, 4, 5, 6, 7, 8, 50, 399, 400, 401, 100_000};
  private static final int[] TIME_LIMITS = {1, 5, 59, 3600, 100_000};

  private ShapeSteps() {}

  static void addTo(Script script) {
    script.group("scopes and aliases").on("service");
    for (String base : new String[] {GROUPS, VALUES, ALIAS, person("staff4"), OTHER}) {
      scopes(script, search(base).attributes("cn", "ou"));
    }
    limits(script.group("size limits").on("bob"));
    times(script.group("time limits"));
  }

  private static void scopes(Script script, SearchBuilder search) {
    for (int scope = 0; scope <= 2; scope++) {
      for (int deref = 0; deref <= 3; deref++) {
        RawRequest values = search.scope(scope).deref(deref).request();
        RawRequest types = search.scope(scope).deref(deref).justTypes().request();
        script.either(values).either(types);
      }
    }
  }

  /** What a limit cuts off is not kept; what it leaves whole may be. */
  private static void limits(Script script) {
    SearchBuilder six = search(GROUPS).attributes("cn");
    SearchBuilder seven = search(VALUES).oneLevel().attributes("cn");
    SearchBuilder crowd = search(CROWD).filter("(cn=crowd11*)").attributes("cn");
    SearchBuilder nobody = search(PEOPLE).filter("(uid=nobody)");
    for (int limit : SIZE_LIMITS) {
      script.either(six.sizeLimit(limit).request());
      script.either(seven.sizeLimit(limit).request());
      script.either(crowd.sizeLimit(limit).request());
      script.either(nobody.sizeLimit(limit).request());
    }
    script.cached(six).cached(seven).cached(crowd).cached(nobody);
  }

  private static void times(Script script) {
    SearchBuilder one = search(PEOPLE).filter("(uid=staff14)").attributes("uid");
    for (int limit : TIME_LIMITS) {
      script.cached(one.timeLimit(limit));
      script.cached(one.timeLimit(limit).sizeLimit(limit));
    }
  }
}
