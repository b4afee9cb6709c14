// SPDX-License-Identifier: Apache-2.0
package io.stoa.index;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.filter.Delta;
import io.stoa.filter.Image;
import io.stoa.filter.Samples;
import io.stoa.filter.Uuid;
import io.stoa.ldap.Octets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One member is added to a group of a hundred thousand, and half of them are asked for. */
class LargeGroupTest {
  private static final int MEMBERS = 100_000;
  private static final int VIEWS = 50_000;
  private static final String SUFFIX = "dc=example,dc=com";
  private static final Uuid GROUP = new Uuid(1, 1);

  private final PredicateIndex<String> index = new PredicateIndex<>();
  private final Image group = group();

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
  @BeforeEach
  void fill() {
    for (int number = MEMBERS - VIEWS; number < MEMBERS; number++) {
      boolean added = number == MEMBERS - 1;
      String filter = "(&(objectClass=groupOfNames)(member=" + person(number) + "))";
      index.register(
          filter,
          Samples.query(SUFFIX, 2, filter),
          added ? List.of() : List.of(GROUP),
          added ? List.of() : List.of(group.dn()));
    }
  }

  @Test
  void withoutMoreKnowledgeTheViewsAreComparedWithTheMembersAndNotTheOtherWayRound() {
    Touched touched = new Touched(GROUP, group, group.dn(), group.dn(), null);
    assertThat(found(touched, false)).hasSize(VIEWS);
    assertThat(index.stats().probes()).isLessThan(VIEWS + 20L);
  }

  @Test
  void ofADeltaOnlyTheDeltaIsLookedUp() {
    Touched touched = new Touched(GROUP, group, group.dn(), group.dn(), null, delta());
    assertThat(found(touched, true))
        .containsExactly("(&(objectClass=groupOfNames)(member=" + person(MEMBERS - 1) + "))");
    assertThat(index.stats().probes()).isLessThan(20);
    assertThat(index.stats().candidates()).isEqualTo(1);
  }

  private static Delta delta() {
    Set<Octets> stamps = Set.of(Samples.SLAPD.typeKey("entryCSN".getBytes(UTF_8)));
    return Delta.of(stamps)
        .and(
            "member".getBytes(UTF_8),
            List.of(person(MEMBERS - 1).getBytes(UTF_8)),
            Samples.SLAPD_PROFILE,
            Samples.SLAPD);
  }

  private Set<String> found(Touched touched, boolean flippedOnly) {
    Set<String> found = new TreeSet<>();
    Consumer<String> add = found::add;
    if (flippedOnly) {
      index.flipped(touched, add);
    } else {
      index.affected(touched, add);
    }
    return found;
  }
}
