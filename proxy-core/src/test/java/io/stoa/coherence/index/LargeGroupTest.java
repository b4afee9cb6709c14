// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.Delta;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.Samples;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** One member is added to a group of a hundred thousand, and half of them are asked for. */
class LargeGroupTest {
  private static final int MEMBERS = 100_000;
  private static final int VIEWS = 50_000;
  private static final String SUFFIX = "dc=example,dc=com";
  private static final Uuid GROUP = new Uuid(1, 1);

  private static final PredicateIndex<String> INDEX = new PredicateIndex<>();
  private static final Image ALL = group();

  private static Image group() {
    List<String> members = new ArrayList<>(MEMBERS);
    for (int number = 0; number < MEMBERS; number++) {
      members.add(person(number));
    }
    Map<String, List<String>> attributes = new LinkedHashMap<>();
    attributes.put("objectClass", List.of("groupOfNames"));
    attributes.put("cn", List.of("all"));
    attributes.put("member", members);
    return Samples.image(Samples.entry("cn=all," + SUFFIX, attributes));
  }

  private static String person(int number) {
    return "uid=p" + number + "," + SUFFIX;
  }

  /** All of them hold the group, but the one about the member that is added now, the last. */
  @BeforeAll
  static void fill() {
    for (int number = MEMBERS - VIEWS; number < MEMBERS; number++) {
      boolean added = number == MEMBERS - 1;
      String filter = "(&(objectClass=groupOfNames)(member=" + person(number) + "))";
      INDEX.register(
          filter,
          Samples.query(SUFFIX, 2, filter),
          added ? List.of() : List.of(GROUP),
          added ? List.of() : List.of(ALL.dn()));
    }
  }

  @Test
  void aChangeWithoutADeltaComparesViewsWithMembers() {
    EntryChange touched = new EntryChange(GROUP, ALL, ALL.dn(), ALL.dn(), null);
    long probes = INDEX.stats().probes();
    assertThat(found(touched, false)).hasSize(VIEWS);
    assertThat(INDEX.stats().probes() - probes).isLessThan(VIEWS + 20L);
  }

  @Test
  void aChangeWithADeltaLooksUpOnlyTheDelta() {
    EntryChange touched = new EntryChange(GROUP, ALL, ALL.dn(), ALL.dn(), null, delta());
    IndexStats before = INDEX.stats();
    assertThat(found(touched, true))
        .containsExactly("(&(objectClass=groupOfNames)(member=" + person(MEMBERS - 1) + "))");
    IndexStats after = INDEX.stats();
    assertThat(after.probes() - before.probes()).isLessThan(20);
    assertThat(after.candidates() - before.candidates()).isEqualTo(1);
  }

  private static Delta delta() {
    Set<Octets> stamps = Set.of(Samples.SLAPD.typeKey("entryCSN".getBytes(UTF_8)));
    return Delta.of(stamps)
        .and(
            "member".getBytes(UTF_8),
            List.of(person(MEMBERS - 1).getBytes(UTF_8)),
            Samples.SLAPD_PROFILE);
  }

  private static Set<String> found(EntryChange touched, boolean flippedOnly) {
    Set<String> found = new TreeSet<>();
    Consumer<String> add = found::add;
    if (flippedOnly) {
      INDEX.findFlipped(touched, add);
    } else {
      INDEX.findAffected(touched, add);
    }
    return found;
  }
}
