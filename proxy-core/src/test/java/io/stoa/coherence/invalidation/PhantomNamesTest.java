// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.image;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.unit;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.view.View;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * I13: a name that an aborted transaction gave to an entry is not taken for its name, so that
 * whatever really has it, or gets it, is known to lie above others.
 */
class PhantomNamesTest extends DomainFixture {
  private static final String KID = "cn=kid,ou=b,dc=x";
  private static final int ONE = 200;
  private static final int OTHER = 300;
  private static final int CHILD = 301;

  private final CoherenceDomain domain = live();

  private View below(String base, int csn) {
    ReadStart readStart = open(domain, base, 1, "(sn=miller)");
    View view = domain.admit(readStart, showing(CHILD, csn, KID), from(HOME, Position.NONE)).view();
    own.pass(1_000);
    return view;
  }

  private static Image leaf(String name) {
    return image(
        name, Map.of("objectClass", "organizationalUnit", "ou", "b", "hasSubordinates", "FALSE"));
  }

  @Test
  void anEntryAddedUnderAPhantomsNameIsAnAncestor() {
    privileged.shows("ou=a,dc=x", ONE, 1);
    valid(domain, 1);
    report(domain, modified(ONE, unit("ou=b,dc=x"), 2)); // and is aborted
    own.pass(2_000);
    report(domain, modified(OTHER, leaf("ou=b,dc=x"), 3));
    report(domain, modified(CHILD, person(KID, "miller"), 4));
    privileged.shows("ou=b,dc=x", OTHER, 3);
    privileged.shows(KID, CHILD, 4);
    own.pass(2_000);
    View view = below("ou=b,dc=x", 4);
    View itself = below(KID, 4);
    assertThat(view.isLive(own.now())).isTrue();
    report(domain, modified(OTHER, unit("ou=c,dc=x"), 5));
    assertThat(view.isInvalid()).isTrue();
    assertThat(itself.isInvalid()).isTrue();
  }

  @Test
  void anEntryThatKeptAPhantomsNameIsAnAncestor() {
    privileged.shows("ou=a,dc=x", ONE, 1);
    privileged.shows("ou=b,dc=x", OTHER, 1);
    privileged.shows(KID, CHILD, 1);
    assertThat(below("ou=b,dc=x", 1).isLive(own.now())).isTrue();
    report(domain, modified(OTHER, unit("ou=tmp,dc=x"), 2)); // and is aborted
    report(domain, modified(ONE, unit("ou=b,dc=x"), 3)); // as this is
    own.pass(CommitTracker.PATIENCE.toMillis() + 2_000);
    View view = below("ou=b,dc=x", 1);
    report(domain, modified(OTHER, unit("ou=c,dc=x"), 5));
    assertThat(view.isLive(own.now())).isFalse();
  }
}
