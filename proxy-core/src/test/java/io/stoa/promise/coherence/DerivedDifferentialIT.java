// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFException;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * I12: whatever is done to groups and to those who are in them, at the server or through Stoa, what
 * is given afterwards is what the server shows.
 */
class DerivedDifferentialIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  private static final String GROUPS = "ou=groups," + People.SUFFIX;
  private static final String CLUBS = "ou=clubs," + GROUPS;
  private static final int PERSONS = 5;
  private static final int ROUNDS = Soak.scale(6, 2000);
  private static final int ACTS = 4;
  private static final List<ResultCode> REFUSALS =
      List.of(
          ResultCode.NO_SUCH_OBJECT,
          ResultCode.ENTRY_ALREADY_EXISTS,
          ResultCode.ATTRIBUTE_OR_VALUE_EXISTS,
          ResultCode.NO_SUCH_ATTRIBUTE,
          ResultCode.OBJECT_CLASS_VIOLATION,
          ResultCode.NOT_ALLOWED_ON_NONLEAF);

  private final long seed = Soak.seed();
  private final Random random = new Random(seed);
  private final List<String> script = new ArrayList<>();

  private static SlapdWithFeed start() {
    SlapdWithFeedSetup setup =
        SlapdWithFeedSetup.of(PERSONS + 2, MAX_AGE)
            .overlay("memberof\noverlay refint\nrefint_attributes member manager")
            .linked("member", "manager");
    for (String unit : List.of(GROUPS, CLUBS, "ou=teams," + GROUPS)) {
      String name = unit.substring("ou=".length(), unit.indexOf(','));
      setup.entry(unit, "objectClass: organizationalUnit", "ou: " + name);
    }
    for (String group : groups().toList()) {
      String name = group.substring("cn=".length(), group.indexOf(','));
      setup.entry(group, "objectClass: groupOfNames", "cn: " + name, "member: " + People.dn(0));
    }
    return setup.start();
  }

  private static Stream<String> groups() {
    return Stream.of("cn=g1," + GROUPS, "cn=g2," + GROUPS, "cn=g3," + CLUBS);
  }

  /** All that is asked, and what is found. */
  private static Map<String, List<String>> all(LDAPConnection who) {
    Map<String, List<String>> all = new TreeMap<>();
    ask(who, all, People.PEOPLE, "(objectClass=inetOrgPerson)", "uid", "memberOf");
    ask(who, all, People.PEOPLE, "(objectClass=inetOrgPerson)", "cn", "manager", "memberOf");
    ask(who, all, GROUPS, "(objectClass=groupOfNames)", "*");
    for (int i = 1; i <= PERSONS; i++) {
      ask(who, all, People.PEOPLE, "(uid=user." + i + ")", "memberOf", "manager");
      ask(who, all, GROUPS, "(member=" + People.dn(i) + ")", "cn");
      ask(who, all, People.PEOPLE, "(manager=" + People.dn(i) + ")", "uid");
      String group = groups().toList().get(i % 3);
      String both = "(&(uid=user." + i + ")(memberOf=" + group + "))";
      ask(who, all, People.PEOPLE, both, "uid");
    }
    return all;
  }

  private static void ask(
      LDAPConnection who,
      Map<String, List<String>> all,
      String base,
      String filter,
      String... attributes) {
    all.put(
        base + " " + filter + " " + Arrays.toString(attributes),
        SlapdWithFeed.find(who, base, SearchScope.SUB, filter, attributes)
            .getSearchEntries()
            .stream()
            .map(DerivedDifferentialIT::text)
            .sorted()
            .toList());
  }

  private static String text(SearchResultEntry entry) {
    Map<String, List<String>> values = new TreeMap<>();
    entry
        .getAttributes()
        .forEach(it -> values.put(it.getName(), Stream.of(it.getValues()).sorted().toList()));
    return entry.getDN() + " " + values;
  }

  private String person() {
    return People.dn(1 + random.nextInt(PERSONS));
  }

  private String group() {
    return groups().toList().get(random.nextInt(3));
  }

  private void act(LDAPConnection who) throws LDAPException {
    String person = person();
    String other = person();
    String group = group();
    int kind = random.nextInt(9);
    script.add(kind + " " + person + " " + other + " " + group);
    try {
      switch (kind) {
        case 0, 1 -> who.modify(group, new Modification(ModificationType.ADD, "member", person));
        case 2 -> who.modify(group, new Modification(ModificationType.DELETE, "member", person));
        case 3 -> who.modify(person, new Modification(ModificationType.REPLACE, "manager", other));
        case 4 -> move(who, person, "uid=away." + random.nextInt(2));
        case 5 -> move(who, group, "cn=gone." + random.nextInt(2));
        case 6 -> move(who, CLUBS, "ou=circles");
        case 7 -> back(who, group);
        default -> who.modify(person, new Modification(ModificationType.REPLACE, "l", "L" + kind));
      }
    } catch (LDAPException e) {
      if (!REFUSALS.contains(e.getResultCode())) {
        throw e;
      }
    }
  }

  /** There and, after other acts, perhaps back again. */
  private void move(LDAPConnection who, String dn, String rdn) throws LDAPException {
    String there = rdn + dn.substring(dn.indexOf(','));
    String old = dn.substring(0, dn.indexOf(','));
    if (random.nextBoolean()) {
      who.modifyDN(dn, rdn, true);
    } else {
      who.modifyDN(there, old, true);
    }
  }

  /** It is deleted, and made again with somebody else in it. */
  private void back(LDAPConnection who, String group) throws LDAPException {
    who.delete(group);
    String name = group.substring("cn=".length(), group.indexOf(','));
    try {
      who.add("dn: " + group, "objectClass: groupOfNames", "cn: " + name, "member: " + person());
    } catch (LDIFException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void derivedAnswersEqualTheDirectory() throws Exception {
    try (SlapdWithFeed people = start();
        LDAPConnection root = people.client(People.ROOT, "secret");
        LDAPConnection client = people.client(People.dn(PERSONS + 1), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      for (int round = 0; round < ROUNDS; round++) {
        people.awaitHeldByFeed("all that is not found by groups alone", () -> all(client));
        boolean own = random.nextBoolean();
        script.clear();
        for (int i = 0; i < ACTS; i++) {
          act(own ? root : people.root());
        }
        Await.until(
            "all is as it is; seed " + seed + ", own " + own + " " + script,
            BOUND,
            () -> all(client).equals(all(people.root())));
      }
    }
  }
}
