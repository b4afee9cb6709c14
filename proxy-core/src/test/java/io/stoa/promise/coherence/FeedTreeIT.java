// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Where entries are, and which there are, is right as soon as anything else. */
class FeedTreeIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  /** A phantom is found out when it has settled, and was looked for once more. */
  private static final Duration PHANTOM = Duration.ofMillis(1400);

  /** Of an aborted transaction slapd 2.5 dies now and then: then nothing is proved. */
  private static final int TRIES = 5;

  private static final int RENAMES = 6;

  private static final String OLD = "ou=old," + People.SUFFIX;
  private static final String NEW = "ou=new," + People.SUFFIX;
  private static final String OTHER = "ou=other," + People.SUFFIX;
  private static final String DEEP = "uid=deep,ou=inner,";
  private static final String SHALLOW = "uid=shallow,";
  private static final String LATE = "uid=late," + OTHER;
  private static final String GROUP = "cn=group," + People.SUFFIX;

  private static SlapdWithFeed start() {
    return setup().start();
  }

  private static SlapdWithFeedSetup setup() {
    SlapdWithFeedSetup setup = SlapdWithFeedSetup.of(10, MAX_AGE).overlay("memberof");
    for (String unit : List.of(OLD, OTHER, "ou=inner," + OLD)) {
      String name = unit.substring("ou=".length(), unit.indexOf(','));
      setup.entry(unit, "objectClass: organizationalUnit", "ou: " + name);
    }
    person(setup, DEEP + OLD);
    person(setup, SHALLOW + OLD);
    return setup.entry(GROUP, "objectClass: groupOfNames", "cn: group", "member: " + People.dn(1));
  }

  private static void person(SlapdWithFeedSetup setup, String dn) {
    String uid = dn.substring("uid=".length(), dn.indexOf(','));
    setup.entry(dn, "objectClass: inetOrgPerson", "uid: " + uid, "cn: x", "sn: x");
  }

  /** What is to be found where; asked by base, by subtree and by filter. */
  private record Place(String base, SearchScope scope, String filter) {
    static Place at(String dn) {
      return new Place(dn, SearchScope.BASE, "(objectClass=*)");
    }

    List<String> find(LDAPConnection who) {
      return SlapdWithFeed.find(who, base, scope, filter, "uid", "ou").getSearchEntries().stream()
          .map(SearchResultEntry::getDN)
          .sorted()
          .toList();
    }
  }

  private static final List<Place> PLACES =
      List.of(
          Place.at(OLD),
          Place.at(NEW),
          Place.at(DEEP + OLD),
          Place.at(DEEP + NEW),
          Place.at(DEEP + "ou=old," + OTHER),
          Place.at(SHALLOW + OLD),
          Place.at(SHALLOW + OTHER),
          Place.at(LATE),
          new Place(OLD, SearchScope.SUB, "(uid=deep)"),
          new Place(NEW, SearchScope.SUB, "(uid=deep)"),
          new Place("ou=inner," + OLD, SearchScope.ONE, "(objectClass=*)"),
          new Place("ou=inner," + NEW, SearchScope.ONE, "(objectClass=*)"),
          new Place(OTHER, SearchScope.ONE, "(objectClass=*)"),
          new Place(OTHER, SearchScope.SUB, "(uid=*)"),
          new Place(People.SUFFIX, SearchScope.SUB, "(uid=deep)"),
          new Place(People.SUFFIX, SearchScope.SUB, "(uid=late)"),
          new Place(People.SUFFIX, SearchScope.ONE, "(ou=*)"));

  private static Map<String, List<String>> all(LDAPConnection who) {
    Map<String, List<String>> all = new TreeMap<>();
    PLACES.forEach(place -> all.put(place.toString(), place.find(who)));
    return all;
  }

  private static void awaitHeldByFeed(SlapdWithFeed people, LDAPConnection client) {
    people.awaitHeldByFeed("each place", () -> all(client));
  }

  /** A change of the tree. */
  private interface Act {
    void on(LDAPConnection who) throws Exception;
  }

  /** How the tree changes, one after the other, so that it is in the end as it was. */
  private static final List<Act> ACTS =
      List.of(
          who -> who.modifyDN(OLD, "ou=new", true),
          who -> who.modifyDN(NEW, "ou=old", true),
          who -> who.modifyDN(OLD, "ou=old", true, OTHER),
          who -> who.modifyDN("ou=old," + OTHER, "ou=old", true, People.SUFFIX),
          who -> who.modifyDN(SHALLOW + OLD, "uid=shallow", true, OTHER),
          who -> who.modifyDN(SHALLOW + OTHER, "uid=shallow", true, OLD),
          who ->
              who.add(
                  "dn: " + LATE, "objectClass: inetOrgPerson", "uid: late", "cn: late", "sn: late"),
          who -> who.delete(LATE));

  @Test
  void directTreeChangesAreSeenWithinTheBound() throws Exception {
    try (SlapdWithFeed people = start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      for (Act act : ACTS) {
        awaitHeldByFeed(people, client);
        act.on(people.root());
        Map<String, List<String>> now = all(people.root());
        Await.until("all is as it is", BOUND, () -> all(client).equals(now));
      }
      assertThat(people.report().domain().gaps()).isZero();
    }
  }

  /** Of which the feed says only that something was modified, when it goes on after a cut. */
  @Test
  void aSubtreeMovedAwayAndBackIsFoundAgain() throws Exception {
    try (SlapdWithFeed people = setup().behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      Place place = new Place(OLD, SearchScope.SUB, "(&(uid=deep)(sn=x))");
      awaitHeldByFeed(people, client);
      people.relay().swallow("ou=inner,");
      people.root().modifyDN("ou=inner," + OLD, "ou=inner", false, OTHER);
      assertThat(place.find(client)).isEmpty();
      people.root().modifyDN("ou=inner," + OTHER, "ou=inner", false, OLD);
      long connects = people.connects();
      people.relay().swallow(null);
      people.relay().lose();
      people.relay().goOn();
      people.awaitLiveAgain(connects);
      assertThat(place.find(client)).containsExactly(DEEP + OLD);
    }
  }

  @Test
  void treeChangesThroughStoaAreSeenAtOnce() throws Exception {
    try (SlapdWithFeed people = start();
        LDAPConnection root = people.client(People.ROOT, "secret");
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      for (Act act : ACTS) {
        awaitHeldByFeed(people, client);
        act.on(root);
        Map<String, List<String>> seen = all(client);
        assertThat(seen).isEqualTo(all(people.root()));
        assertThat(all(root)).isEqualTo(seen);
      }
    }
  }

  /** Not of those who merely look where both names are. */
  @Test
  void aRenameThroughStoaCostsOtherEntriesNoHit() throws Exception {
    List<String> filters =
        IntStream.range(2, 8).mapToObj(number -> "(uid=user." + number + ")").toList();
    try (SlapdWithFeed people = setup().configured().start();
        LDAPConnection root = people.client(People.ROOT, "secret");
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitHeldByFeed(client, filters.toArray(String[]::new));
      for (int time = 0; time < RENAMES; time++) {
        String from = time % 2 == 0 ? "uid=user.9" : "uid=other.9";
        String to = time % 2 == 0 ? "uid=other.9" : "uid=user.9";
        root.modifyDN(from + "," + People.PEOPLE, to, true);
        Await.until("the feed is live", people::isLive);
        long before = people.proxy().cache().filterHits();
        filters.forEach(filter -> find(client, filter, "uid", "l"));
        assertThat(people.proxy().cache().filterHits() - before).isEqualTo(filters.size());
      }
      assertThat(people.report().domain().invalidations().get(InvalidationCause.RENAME)).isZero();
    }
  }

  /** What the server counts or computes, no change of the entry tells. */
  @Test
  void operationalAttributesExpireByAge() throws Exception {
    try (SlapdWithFeed people = start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitLive();
      List<String[]> reads =
          List.of(
              new String[] {"(uid=user.2)", "+"},
              new String[] {"(uid=user.2)", "uid", "HASSUBORDINATES"},
              new String[] {"(&(uid=user.2)(hasSubordinates=FALSE))", "uid"},
              new String[] {"(memberOf=" + GROUP + ")", "uid"});
      for (String[] read : reads) {
        String[] attributes = List.of(read).subList(1, read.length).toArray(String[]::new);
        assertThat(
                people.restingOnTheFeed(
                    MAX_AGE.multipliedBy(3), () -> find(client, read[0], attributes)))
            .as(String.join(" ", read))
            .isZero();
      }
    }
  }

  /** Its server tells of it as of any other change, and may die of it. */
  @Test
  void aTransactionThatIsAbortedLeavesNothing() throws Exception {
    boolean lived = false;
    for (int left = TRIES; left > 0 && !lived; left--) {
      try (SlapdWithFeed people = start();
          LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        people.awaitHeldByFeed(client, "(uid=user.3)", "(l=Phantom)");
        lived = isGivenForAMomentOnly(people, client);
        long connects = people.connects();
        people.slapd().restart();
        people.connect();
        people.awaitLiveAgain(connects);
        assertThat(value(people.root(), "(uid=user.3)", "l")).isNull();
        assertThat(value(client, "(uid=user.3)", "l")).isNull();
        people.awaitHeldByFeed(client, "(uid=user.3)", "(l=Phantom)");
        assertThat(value(client, "(uid=user.3)", "l")).isNull();
        assertThat(find(client, "(l=Phantom)", "uid", "l").getEntryCount()).isZero();
      }
    }
    assertThat(lived).isTrue();
  }

  /** Whether slapd has lived long enough to show that. */
  private static boolean isGivenForAMomentOnly(SlapdWithFeed people, LDAPConnection client)
      throws Exception {
    long changes = people.report().domain().changes();
    ModifyRequest phantom =
        new ModifyRequest(People.dn(3), new Modification(ModificationType.REPLACE, "l", "Phantom"));
    try {
      AbortedTransaction.lived(people.root(), phantom);
      Await.until(
          "it is told",
          () -> people.report().domain().changes() > changes || !people.slapd().isRunning());
      goesSoon(client);
      return people.slapd().isRunning();
    } catch (AssertionError e) {
      if (people.slapd().hasEnded()) {
        return false;
      }
      throw e;
    }
  }

  private static void goesSoon(LDAPConnection client) {
    long told = System.nanoTime();
    long asked = told;
    long seen = -1;
    while (asked - told < PHANTOM.plus(MAX_AGE).toNanos()) {
      asked = System.nanoTime();
      boolean phantom =
          "Phantom".equals(value(client, "(uid=user.3)", "l"))
              || find(client, "(l=Phantom)", "uid", "l").getEntryCount() > 0;
      seen = phantom && seen < 0 ? System.nanoTime() : seen;
      assertThat(phantom && asked - seen > PHANTOM.toNanos()).isFalse();
    }
  }
}
