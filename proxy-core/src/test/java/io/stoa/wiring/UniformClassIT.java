// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.access.AccessClass.Attributes;
import io.stoa.access.ClassStatus;
import io.stoa.access.Declaration;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * I10: an administrator says wrongly that all are given what the account of the feed is given; the
 * members see the same, so that none of them deviates from the others.
 */
class UniformClassIT {
  private static final String DN = People.dn(3);

  /** So many hits at most are given before what is asked again for one of them is there. */
  private static final long AT_ONCE = 16;

  private static final RawRequest QUESTION =
      Requests.search(People.PEOPLE).filter("(uid=user.3)").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static boolean isShownTooMuch(RawLdapClient client) {
    return client.call(QUESTION).stream()
        .map(message -> new String(message.op(), StandardCharsets.ISO_8859_1))
        .anyMatch(op -> op.contains("confidential"));
  }

  private static ClassStatus status(FedPeople people) {
    return people.proxy().cache().classes().get(0);
  }

  @Test
  void whatOnlyTheFeedSeesIsSoonGivenToNobody() throws Exception {
    Declaration wrong =
        new Declaration(
            "all", List.of("*," + People.PEOPLE), List.of(), People.PEOPLE, Attributes.ALL, true);
    try (FedPeople people = FedSetup.of(5, Duration.ofHours(1)).sharing(wrong).start();
        RawLdapClient one = people.proxy().client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient two = people.proxy().client().bind(People.dn(2), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      List<RawLdapClient> members = List.of(one, two);
      long told = 0;
      while (told == 0) {
        change(people, "once more");
        told += isShownTooMuch(one) ? 1 : 0;
      }
      while (!status(people).demoted()) {
        told += members.stream().filter(UniformClassIT::isShownTooMuch).count();
      }
      assertThat(told).as("answers with what nobody may see").isBetween(1L, AT_ONCE + 1L);
      Await.until(
          "people are told why",
          () -> log.warnings().stream().anyMatch(line -> line.contains("than the feed tells")));
      change(people, "at last");
      assertThat(isShownTooMuch(one) || isShownTooMuch(two)).isFalse();
    }
  }

  /** Only the feed may see this. */
  private static void change(FedPeople people, String what) throws Exception {
    long before = people.report().feed().changes();
    people
        .root()
        .modify(
            DN, new Modification(ModificationType.REPLACE, "description", "confidential " + what));
    Await.until("it is told", () -> people.report().feed().changes() > before);
  }
}
