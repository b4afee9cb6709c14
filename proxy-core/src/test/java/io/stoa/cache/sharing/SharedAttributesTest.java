// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static io.stoa.testing.SmallDirectory.PROFILE;
import static io.stoa.testing.SmallDirectory.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.FilterNode.Present;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.testing.SmallDirectory;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests lie in which declared classes. */
class SharedAttributesTest {
  private static final String BASE = "ou=s,dc=x";
  private static final Attributes SOME = new Attributes(List.of("cn", "ou"), List.of());
  private static final Attributes OTHERS = new Attributes(List.of(), List.of("sn"));

  private static SharedAttributes of(Attributes... all) {
    List<Declaration> declared =
        Stream.of(all)
            .map(each -> new Declaration("k", List.of("cn=a,dc=x"), List.of(), BASE, each, false))
            .toList();
    return new SharedAttributes(declared, PROFILE);
  }

  private static long search(
      SharedAttributes coverage, String base, int deref, String filter, String list) {
    FilterNode node = new Present(octets(filter));
    List<byte[]> names =
        list.isEmpty()
            ? List.of()
            : Stream.of(list.split(" ")).map(SmallDirectory::octets).toList();
    SearchOp search = new SearchOp(octets(base), 2, deref, 0, 0, false, node, names);
    return coverage.of(search, FilterAttributes.of(node, PROFILE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ou=s,dc=x      | 0 | 1",
        "cn=a,OU=S,dc=x | 0 | 1",
        "dc=x           | 0 | 0",
        "ou=t,dc=x      | 0 | 0",
        "''             | 0 | 0",
        "nonsense       | 0 | 0",
        "ou=s,dc=x      | 3 | 0",
        "ou=s,dc=x      | 1 | 0",
      })
  void allReachableEntriesMustLieBelowTheBase(String base, int deref, long covered) {
    assertThat(search(of(Attributes.ALL), base, deref, "cn", "")).isEqualTo(covered);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // filter, list, all, only cn and ou, not sn
        "cn          | ''        | 1 | 0 | 0",
        "cn          | *         | 1 | 0 | 0",
        "cn          | +         | 1 | 0 | 0",
        "cn          | cn *      | 1 | 0 | 0",
        "cn          | @person   | 1 | 0 | 0",
        "cn          | 1.1       | 1 | 2 | 4",
        "cn          | cn        | 1 | 2 | 4",
        "CN          | OU 2.5.4.3 | 1 | 2 | 4",
        "cn          | cn;x-y ou | 1 | 2 | 4",
        "cn          | cn sn     | 1 | 0 | 0",
        "cn          | cn dc     | 1 | 0 | 4",
        "cn          | name      | 1 | 0 | 0",
        "sn          | cn        | 1 | 0 | 0",
        "2.5.4.4     | cn        | 1 | 0 | 0",
        "name        | cn        | 1 | 0 | 0",
        "objectClass | cn        | 1 | 0 | 4",
        "unknown     | cn        | 1 | 0 | 4",
      })
  void allRequestedAttributesMustBeDeclared(
      String filter, String list, long all, long some, long others) {
    long covered = search(of(Attributes.ALL, SOME, OTHERS), BASE, 0, filter, list);
    assertThat(covered).isEqualTo(all + some + others);
  }

  /** A request for {@code name} returns {@code cn}, {@code sn} and {@code ou} as well. */
  @Test
  void anAttributeStandsForItsSubtypes() {
    Attributes name = new Attributes(List.of("name"), List.of());
    Attributes each = new Attributes(List.of("name", "cn", "sn", "ou"), List.of());
    for (String list : List.of("name", "2.5.4.41", "NAME;x-y", "cn")) {
      assertThat(search(of(name), BASE, 0, "name", list)).as(list).isZero();
      assertThat(search(of(name), BASE, 0, list, "1.1")).as(list).isZero();
      assertThat(search(of(each), BASE, 0, "name", list)).as(list).isEqualTo(1);
    }
    assertThat(compare(of(name), BASE, "name")).isZero();
    assertThat(compare(of(each), BASE, "name")).isEqualTo(1);
  }

  @Test
  void comparedAttributesMustBeDeclared() {
    SharedAttributes coverage = of(Attributes.ALL, SOME, OTHERS);
    assertThat(compare(coverage, BASE, "cn")).isEqualTo(7);
    assertThat(compare(coverage, BASE, "sn")).isEqualTo(1);
    assertThat(compare(coverage, BASE, "dc")).isEqualTo(5);
    assertThat(compare(coverage, "dc=x", "cn")).isZero();
  }

  private static long compare(SharedAttributes coverage, String entry, String attribute) {
    CompareOp compare = new CompareOp(octets(entry), octets(attribute), octets("a"));
    return coverage.of(compare, FilterAttributes.of(compare, PROFILE));
  }
}
