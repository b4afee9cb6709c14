// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import static io.stoa.wiring.FedPeople.find;
import static io.stoa.wiring.FedPeople.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.realm.RealmState;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A feed that is lost, or silent, vouches for nothing; when it goes on, for what it did before. */
class FeedLossIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  private static final String[] ASKED = {"(uid=user.3)", "(uid=user.4)", "(l=Athens)"};
  private static final String[] ENTRIES = {"(uid=user.9)", "(uid=user.10)", "(uid=user.11)"};
  private static final String[] SETS = {"(l=Nowhere)", "(l=Nirvana)", "(l=Utopia)"};

  private static void vouchAll(FedPeople people, LDAPConnection client) {
    people.vouched(
        "all of them",
        () -> {
          for (String[] filters : List.of(ASKED, ENTRIES, SETS)) {
            for (String filter : filters) {
              find(client, filter, "uid", "l");
            }
          }
          return null;
        });
  }

  private static Modification city(String name) {
    return new Modification(ModificationType.REPLACE, "l", name);
  }

  /** Others write, and it is seen in time. */
  private static void seen(FedPeople people, LDAPConnection client, String name) throws Exception {
    people.root().modify(People.dn(3), city(name));
    Await.until("it is seen", BOUND, () -> name.equals(value(client, "(uid=user.3)", "l")));
  }

  /** What has not changed is given from memory, however old it is, and what has is right. */
  private static void asBefore(FedPeople people, LDAPConnection client, long gaps)
      throws Exception {
    people.awaitLive();
    assertThat(people.report().realm().gaps()).isEqualTo(gaps);
    assertThat(people.isAnyRemembered(client, ENTRIES)).isTrue();
    assertThat(people.isAnyRemembered(client, SETS)).isTrue();
    assertThat(find(client, "(l=Athens)", "uid", "l").getEntryCount()).isEqualTo(1);
    assertThat(value(client, "(uid=user.4)", "l")).isEqualTo("Athens");
    people.vouched(client, "(uid=user.3)", "(l=Athens)");
  }

  @Test
  void aFeedThatIsCutGoesOnFromWhereItWas() throws Exception {
    try (FedPeople people = FedSetup.of(20, MAX_AGE).behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      vouchAll(people, client);
      people.relay().lose();
      Await.until(
          "the loss is noticed", () -> people.report().realm().state() == RealmState.SUSPENDED);
      people.root().modify(People.dn(4), city("Athens"));
      for (int i = 0; i < 3; i++) {
        seen(people, client, "City " + i);
        assertThat(
                people.restingOnTheFeed(
                    MAX_AGE.multipliedBy(2), () -> find(client, "(uid=user.3)", "uid", "l")))
            .isZero();
      }
      people.relay().goOn();
      asBefore(people, client, 0);
    }
  }

  @Test
  void aFeedThatIsSilentVouchesForNothing() throws Exception {
    try (FedPeople people = FedSetup.of(20, MAX_AGE).behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      vouchAll(people, client);
      people.relay().hold();
      people.root().modify(People.dn(4), city("Athens"));
      seen(people, client, "Sparta");
      assertThat(
              people.restingOnTheFeed(
                  MAX_AGE.multipliedBy(2), () -> find(client, "(uid=user.3)", "uid", "l")))
          .isZero();
      people.relay().goOn();
      asBefore(people, client, 0);
    }
  }

  @Test
  void whatAFrozenServerVouchedForIsNotGivenForLonger() throws Exception {
    try (FedPeople people = FedPeople.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      vouchAll(people, client);
      people.slapd().freeze();
      try {
        Await.until("nothing is given", BOUND, () -> !isAnswered(client));
      } finally {
        people.slapd().thaw();
      }
      people.root().modify(People.dn(4), city("Athens"));
      seen(people, client, "Sparta");
      asBefore(people, client, 0);
    }
  }

  private static boolean isAnswered(LDAPConnection client) throws LDAPException {
    SearchRequest search =
        new SearchRequest(People.PEOPLE, SearchScope.SUB, "(uid=user.3)", "uid", "l");
    search.setResponseTimeoutMillis(200);
    try {
      return client.search(search).getEntryCount() == 1;
    } catch (LDAPException e) {
      return false;
    }
  }

  /** What it was asked before it was stopped, nothing having changed, still is right. */
  @Test
  void aServerThatIsStartedAgainIsFollowedAgain() throws Exception {
    try (FedPeople people = FedPeople.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.root().modify(People.dn(4), city("Athens"));
      vouchAll(people, client);
      long connects = people.connects();
      people.slapd().restart();
      people.connect();
      people.awaitLiveAgain(connects);
      asBefore(people, client, 0);
      seen(people, client, "Sparta");
    }
  }

  /** It has lost the log of what it told, and perhaps the count of its changes. */
  @Test
  void nothingOutlivesWhatAServerThatWasKilledCannotTell() throws Exception {
    try (FedPeople people = FedSetup.of(20, MAX_AGE).behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      vouchAll(people, client);
      long connects = people.connects();
      people.relay().lose();
      people.root().modify(People.dn(3), city("Athens"));
      people.root().delete(People.dn(9));
      people.slapd().kill();
      people.slapd().restart();
      people.connect();
      people.relay().goOn();
      people.awaitLiveAgain(connects);
      assertThat(value(client, "(uid=user.9)", "uid")).isNull();
      assertThat(find(client, "(l=Athens)", "uid", "l").getEntryCount()).isEqualTo(1);
      assertThat(value(client, "(uid=user.3)", "l")).isEqualTo("Athens");
      people.vouched(client, "(uid=user.3)");
      seen(people, client, "Sparta");
    }
  }

  /** It knows less than the feed: what was deleted last it does not count any more. */
  @Test
  void aServerThatKnowsLessThanItHasToldIsFollowedAnew() throws Exception {
    try (FedPeople people = FedPeople.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      vouchAll(people, client);
      people.root().delete(People.dn(9));
      Await.until("it is gone", () -> value(client, "(uid=user.9)", "uid") == null);
      long connects = people.connects();
      people.slapd().kill();
      people.slapd().restart();
      people.connect();
      people.proxy().awaitUp();
      seen(people, client, "Sparta");
      people.awaitLiveAgain(connects);
      assertThat(value(client, "(uid=user.9)", "uid")).isNull();
      people.vouched(client, "(uid=user.3)");
      seen(people, client, "Thebes");
    }
  }
}
