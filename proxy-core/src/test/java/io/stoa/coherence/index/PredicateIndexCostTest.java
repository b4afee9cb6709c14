// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Samples;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a change costs does not depend on how many views it leaves as they are. */
class PredicateIndexCostTest {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String PEOPLE = "ou=people," + SUFFIX;
  private static final Image CHANGED =
      Samples.image(
          Samples.entry(
              "uid=nobody asks," + PEOPLE,
              "objectClass: inetOrgPerson",
              "uid: nobody asks",
              "cn: Nobody",
              "sn: Asks",
              "uidNumber: 7",
              "telephoneNumber: 1"));

  private final PredicateIndex<String> index = new PredicateIndex<>();

  @ParameterizedTest
  @ValueSource(ints = {10, 1_000, 100_000})
  void aChangeCostsOnlyItsLookups(int views) {
    for (int number = 0; number < views; number++) {
      register(number);
    }
    List<String> found = new ArrayList<>();
    index.findAffected(
        new EntryChange(new Uuid(2, 2), CHANGED, CHANGED.dn(), CHANGED.dn()), found::add);
    assertThat(found).isEmpty();
    assertThat(index.stats().probes()).isLessThan(40);
    assertThat(index.stats().candidates()).isLessThanOrEqualTo(1);
  }

  /**
   * As applications ask: by a name, by a name within a class, by DN, by the beginning of a name.
   */
  private void register(int number) {
    String dn = "uid=u" + number + "," + PEOPLE;
    String filter =
        switch (number % 5) {
          case 0 -> "(uid=u" + number + ")";
          case 1 -> "(&(objectClass=person)(uid=u" + number + "))";
          case 2 -> "(&(objectClass=inetOrgPerson)(|(cn=name" + number + ")(sn=sn" + number + ")))";
          case 3 -> "(cn=user" + number + "*)";
          default -> "(objectClass=*)";
        };
    boolean byName = number % 5 == 4;
    index.register(
        filter + number,
        Samples.query(byName ? dn : PEOPLE, byName ? 0 : 2, filter),
        List.of(new Uuid(1, number)),
        List.of(NormalDn.of(dn.getBytes(StandardCharsets.UTF_8), Samples.SLAPD_PROFILE)));
  }
}
