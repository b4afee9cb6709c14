// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.ReadResult.Shown;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.View;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedKind;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.ReadSource;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the feed's account has been shown need not be asked for again, as long as that is so. */
class VisibilityVerifierTest {
  private static final Object HOME = new Object();
  private static final long SETTLED = 450;
  private static final int MEMBERS = 5;

  private final SteppedExecutor own = new SteppedExecutor();
  private final ScriptedReader reader = new ScriptedReader();
  private long rights = own.now();
  private boolean live;
  private String place = "ou=p,dc=x";
  private final CoherenceDomain domain = realm();

  private CoherenceDomain realm() {
    Bounds ring = new Bounds(Duration.ofMinutes(5), 1_000, Duration.ofMillis(800), 1 << 24);
    DomainConfig config =
        new DomainConfig(
            CONTEXT,
            name -> NormalDn.of(name, SmallDirectory.PROFILE),
            type -> false,
            DomainConfig.SETTLE,
            ring,
            0,
            () -> false,
            FeedKind.SYNCREPL,
            now -> rights);
    CoherenceDomain made =
        new CoherenceDomain(
            config,
            new DomainContext(
                own, own::now, new FreshnessGuarantee(now -> true, null, null), all -> {}, reader),
            change -> {});
    made.setFeedServer(HOME);
    made.feed().onLive(upTo(1));
    own.run();
    reader.has("dc=x", 100, 1);
    reader.has("ou=p,dc=x", 101, 1);
    for (int i = 1; i <= MEMBERS; i++) {
      reader.has(name(i), i, 1);
    }
    own.pass(SETTLED);
    return made;
  }

  private String name(int member) {
    return "cn=m" + member + "," + place;
  }

  /** A search for all members is answered; gives those whom the feed's account was asked for. */
  private List<Integer> filled(int... states) {
    return answered(HOME, states);
  }

  private List<Integer> answered(Object server, int... states) {
    ReadStart readStart =
        domain.beginRead(query("dc=x", 2, "(sn=x)"), octets("dc=x"), (view, cause) -> {});
    List<Shown> shown = new ArrayList<>();
    for (int i = 1; i <= MEMBERS; i++) {
      shown.add(new Shown(uuid(i), csn(states[i - 1]), dn(name(i)), octets(name(i))));
    }
    reader.asked.clear();
    View view =
        domain
            .admit(readStart, new ReadResult(false, shown), new ReadSource(server, upTo(1), 0, 0))
            .view();
    own.pass(SETTLED);
    live = view.isLive(own.now());
    List<Integer> members = new ArrayList<>();
    for (int i = 1; i <= MEMBERS; i++) {
      String one = uuid(i).toString();
      if (reader.asked.stream().anyMatch(filter -> filter.contains(one))) {
        members.add(i);
      }
    }
    return members;
  }

  private void report(Change change) {
    domain.feed().onChange(change);
    own.pass(SETTLED);
  }

  @Test
  void unchangedEntriesAreReadOnce() {
    assertThat(filled(1, 1, 1, 1, 1)).containsExactly(1, 2, 3, 4, 5);
    report(modified(3, person(name(3), "x"), 2));
    reader.has(name(3), 3, 2);
    assertThat(filled(1, 1, 2, 1, 1)).containsExactly(3);
    assertThat(live).isTrue();
    assertThat(filled(1, 1, 2, 1, 1)).isEmpty();
    assertThat(live).isTrue();
  }

  /** The account may be one of those whose rights have changed. */
  @Test
  void aChangeOfRightsRequiresNewReads() {
    filled(1, 1, 1, 1, 1);
    rights = own.now() + 1;
    own.pass(1);
    assertThat(filled(1, 1, 1, 1, 1)).containsExactly(1, 2, 3, 4, 5);
    assertThat(filled(1, 1, 1, 1, 1)).isEmpty();
  }

  /** They may be where the account does not see them, of which the feed says nothing. */
  @Test
  void entriesMovedWithTheirAncestorAreReadAgain() {
    filled(1, 1, 1, 1, 1);
    reader.lacksAllBelow("ou=p,dc=x");
    place = "ou=q,dc=x";
    reader.has(place, 101, 2);
    for (int i = 1; i <= MEMBERS; i++) {
      reader.has(name(i), i, 1);
    }
    assertThat(filled(1, 1, 1, 1, 1)).as("before the feed tells").containsExactly(1, 2, 3, 4, 5);
  }

  /** It may come from another server, where the account may see less. */
  @Test
  void aCutRequiresNewReads() {
    filled(1, 1, 1, 1, 1);
    domain.feed().onLost("cut");
    domain.feed().onLive(upTo(1));
    own.pass(SETTLED);
    assertThat(filled(1, 1, 1, 1, 1)).containsExactly(1, 2, 3, 4, 5);
  }

  /** It may be behind, and show an entry where the account has seen it and would not any more. */
  @Test
  void answersOfAnotherServerAreReadAgain() {
    filled(1, 1, 1, 1, 1);
    assertThat(answered(new Object(), 1, 1, 1, 1, 1)).containsExactly(1, 2, 3, 4, 5);
    assertThat(filled(1, 1, 1, 1, 1)).isEmpty();
  }
}
