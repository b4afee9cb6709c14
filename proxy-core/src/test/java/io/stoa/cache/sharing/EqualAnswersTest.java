// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.sharing.EqualAnswers.Comparisons;
import io.stoa.cache.sharing.EqualAnswers.Read;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchPattern;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Answers to identities of one parent are compared while nothing changes. */
class EqualAnswersTest {
  private static final SearchPattern PATTERN = new SearchPattern("dc=x", 2, "(uid=?)", "cn", 0);
  private static final int QUERY = 5;
  private static final long MAX_AGE = 1000;

  private final EqualAnswers answers = new EqualAnswers();

  private void read(String identity, long epoch, long now, long content) {
    Octets name = Octets.of(identity.getBytes(UTF_8));
    answers.add(QUERY, PATTERN, new Read(name, epoch, now, now - MAX_AGE, content, true));
  }

  @Test
  void answersToTwoIdentitiesAreCompared() {
    read("cn=a,ou=Services,dc=x", 0, 0, 7);
    read("cn=b,ou=services,dc=x", 0, 10, 7);
    read("cn=a,ou=Services,dc=x", 0, 20, 8);
    assertThat(answers.comparisons())
        .containsExactly(
            new Comparisons(
                "ou=services,dc=x",
                PATTERN,
                List.of("cn=b,ou=services,dc=x", "cn=a,ou=Services,dc=x"),
                1,
                1));
  }

  @Test
  void nothingElseIsCompared() {
    read("cn=a,ou=services,dc=x", 0, 0, 7);
    read("cn=a,ou=services,dc=x", 0, 0, 8); // the same identity
    read("cn=b,ou=services,dc=x", 1, 10, 9); // after a write
    read("cn=a,ou=services,dc=x", 1, 2000, 7); // much later
    read("cn=a,ou=people,dc=x", 1, 2000, 8); // another parent
    read("", 1, 2000, 7);
    read("admin", 1, 2000, 7);
    read("\0sasl\0dn:cn=a,ou=people,dc=x", 1, 2000, 7);
    read("uid=x\\\\,y", 1, 2000, 7);
    assertThat(answers.comparisons()).isEmpty();
  }

  @Test
  void answersWithoutAttributesProveNothing() {
    for (String name : List.of("cn=a,dc=x", "cn=b,dc=x")) {
      answers.add(QUERY, PATTERN, new Read(Octets.of(name.getBytes(UTF_8)), 0, 0, 0, 7, false));
    }
    assertThat(answers.comparisons().get(0).equal()).isZero();
  }

  @Test
  void differencesOutliveTheEqualAnswersOfManyPatterns() {
    read("cn=a,ou=services,dc=x", 0, 0, 7);
    read("cn=b,ou=services,dc=x", 0, 0, 8);
    for (int number = 0; number < 500; number++) {
      SearchPattern pattern = new SearchPattern("dc=x", 2, "(a" + number + "=?)", "cn", 0);
      for (String name : List.of("cn=a,dc=y", "cn=b,dc=y")) {
        answers.add(number, pattern, new Read(Octets.of(name.getBytes(UTF_8)), 0, 0, 0, 7, true));
      }
    }
    assertThat(answers.comparisons())
        .hasSize(200)
        .anyMatch(one -> one.parent().equals("ou=services,dc=x") && one.different() == 1);
  }

  @Test
  void manyIdentitiesAreNotNamed() {
    for (int identity = 0; identity < 20; identity++) {
      read("cn=" + identity + ",dc=x", 0, 0, 7);
    }
    Comparisons all = answers.comparisons().get(0);
    assertThat(all.identities()).hasSize(9);
    assertThat(all.equal()).isEqualTo(19);
    answers.reset();
    assertThat(answers.comparisons()).isEmpty();
  }
}
