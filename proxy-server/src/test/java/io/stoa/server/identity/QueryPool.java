// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.identity;

import static io.stoa.server.identity.RandomDirectory.ATTRIBUTES;
import static io.stoa.server.identity.RandomDirectory.GROUPS;
import static io.stoa.server.identity.RandomDirectory.IDENTITIES;
import static io.stoa.server.identity.RandomDirectory.SUFFIX;
import static io.stoa.server.identity.RandomDirectory.UNITS;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.search;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import io.stoa.testing.RawRequest;
import io.stoa.testing.SearchBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Reads whose answers depend on who asks; all identities ask the same ones. */
final class QueryPool {
  private final Random random;

  QueryPool(Random random) {
    this.random = random;
  }

  List<RawRequest> queries(int count) {
    List<RawRequest> queries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      queries.add(query());
    }
    return queries;
  }

  private RawRequest query() {
    return switch (random.nextInt(8)) {
      case 0 -> search(randomPerson()).baseScope().request();
      case 1 -> search(randomPerson()).baseScope().attributes("*", "+").request();
      case 2 -> selected(search(unit()).filter("(l=City" + random.nextInt(6) + ")"));
      case 3 -> selected(search(SUFFIX).filter("(title=Title" + random.nextInt(4) + ")"));
      case 4 -> selected(search(SUFFIX).filter("(mail=p" + random.nextInt(10) + "*)"));
      case 5 -> search(RandomDirectory.group(random.nextInt(GROUPS))).baseScope().request();
      case 6 -> compare(randomPerson(), "l", "City" + random.nextInt(6));
      default -> selected(search(unit()).oneLevel().filter("(" + attribute() + "=*)"));
    };
  }

  private RawRequest selected(SearchBuilder search) {
    SearchBuilder some = search.attributes(attribute(), attribute());
    return switch (random.nextInt(4)) {
      case 0 -> some.justTypes().request();
      case 1 -> some.request().with(new ManageDsaITRequestControl(false));
      case 2 -> search.attributes("1.1").request();
      default -> some.request();
    };
  }

  private String randomPerson() {
    return RandomDirectory.person(random.nextInt(IDENTITIES));
  }

  private String unit() {
    return "ou=unit" + random.nextInt(UNITS) + "," + SUFFIX;
  }

  private String attribute() {
    return ATTRIBUTES[random.nextInt(ATTRIBUTES.length)];
  }
}
