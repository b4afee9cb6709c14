// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.Samples;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
  void aChangeComparesViewsWithMembers() {
    EntryChange touched = new EntryChange(GROUP, ALL, ALL.dn(), ALL.dn());
    long probes = INDEX.stats().probes();
    Set<String> found = new TreeSet<>();
    INDEX.findAffected(touched, found::add);
    assertThat(found).hasSize(VIEWS);
    assertThat(INDEX.stats().probes() - probes).isLessThan(VIEWS + 20L);
  }
}
