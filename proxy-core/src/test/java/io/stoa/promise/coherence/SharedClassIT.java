// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Members of a class, whom a group names, share what rests on a feed. */
class SharedClassIT {
  private static final String GROUP = "cn=apps," + People.SUFFIX;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private int fresh;

  private static SlapdWithFeed start() {
    Declaration apps =
        new Declaration("apps", List.of(), List.of(GROUP), People.PEOPLE, Attributes.ALL, false);
    return SlapdWithFeedSetup.of(5, Duration.ofMillis(200))
        .rights(Duration.ofSeconds(2))
        .entry(
            GROUP,
            "objectClass: groupOfNames",
            "cn: apps",
            "member: " + People.dn(1),
            "member: " + People.dn(2))
        .sharing(apps)
        .start();
  }

  private static ClassStatus status(SlapdWithFeed people) {
    return people.proxy().cache().classes().get(0);
  }

  /** Whether one is given what was read for the other: a search that nobody has asked before. */
  private boolean shares(SlapdWithFeed people, LDAPConnection one, LDAPConnection other)
      throws Exception {
    fresh++;
    String filter = "(|(uid=user.3)(cn=nobody " + fresh + "))";
    SlapdWithFeed.find(one, filter, "uid", "sn");
    return people.isRemembered(() -> SlapdWithFeed.find(other, filter, "uid", "sn"));
  }

  @Test
  void groupMembersShareUntilTheyLeave() throws Exception {
    try (SlapdWithFeed people = start();
        LDAPConnection one = people.client(People.dn(1), People.PASSWORD);
        LDAPConnection two = people.client(People.dn(2), People.PASSWORD);
        LDAPConnection three = people.client(People.dn(3), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      Await.until("the group is known", () -> status(people).groupsUnknown() == 0);
      Await.until("they share", () -> shares(people, one, two));
      assertThat(shares(people, one, three)).isFalse();
      people
          .root()
          .modify(GROUP, new Modification(ModificationType.DELETE, "member", People.dn(2)));
      people.root().modify(GROUP, new Modification(ModificationType.ADD, "member", People.dn(3)));
      Await.until("they share no more", () -> !shares(people, one, two));
      Await.until("others do", () -> shares(people, one, three));
      assertThat(shares(people, one, two)).isFalse();
      assertThat(status(people).demoted()).isFalse();
    }
  }

  @Test
  void aFeedChangeIsSeenByAllMembers() throws Exception {
    try (SlapdWithFeed people = start();
        LDAPConnection one = people.client(People.dn(1), People.PASSWORD);
        LDAPConnection two = people.client(People.dn(2), People.PASSWORD)) {
      Await.until("the feed is live", people::isLive);
      Await.until("the group is known", () -> status(people).groupsUnknown() == 0);
      for (int turn = 0; turn < 3; turn++) {
        String name = "Name" + turn;
        SlapdWithFeed.value(one, "(uid=user.4)", "sn");
        people.root().modify(People.dn(4), new Modification(ModificationType.REPLACE, "sn", name));
        Await.until(
            "it is seen", () -> name.equals(SlapdWithFeed.value(two, "(uid=user.4)", "sn")));
        Await.until(
            "it is seen", () -> name.equals(SlapdWithFeed.value(one, "(uid=user.4)", "sn")));
      }
      assertThat(status(people).demoted()).isFalse();
    }
  }
}
