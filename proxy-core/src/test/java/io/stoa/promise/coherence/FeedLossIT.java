// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.promise.coherence.RepeatingReaders.Question;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A feed that is lost, or silent, vouches for nothing; when it goes on, for what it did before. In
 * the long form each is done a hundred times, and it is kept when the last answer that rests on it
 * was sent for.
 */
@Tag("soak")
class FeedLossIT {
  private static final int ROUNDS = Soak.scale(1, 100);
  private static final int WRITES = Soak.scale(3, 1);
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** For how long a feed vouches: what {@link SlapdWithFeedSetup} sets. */
  private static final Duration LEASE = Duration.ofSeconds(1);

  /** By so much later the last answer that rests on it may be sent for. */
  private static final Duration SLACK = Duration.ofMillis(100);

  /** So long clients ask after the plug was pulled, which is longer than they may be answered. */
  private static final Duration ASKING = LEASE.plusMillis(400);

  /** How soon what others write is seen, by a machine that does other things, too. */
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private static final int[] CHANGED = {3, 4, 5};
  private static final String[] CHECKED_FILTERS = {"(uid=user.3)", "(uid=user.4)", "(uid=user.5)"};
  private static final String[] SAME = {
    "(uid=user.9)", "(uid=user.10)", "(uid=user.11)", "(l=Nowhere)", "(l=Nirvana)", "(l=Utopia)"
  };

  /** One of what is not changed may come while a machine that stood still hears of nothing. */
  private static final int REMEMBERED = SAME.length - 1;

  private static String living(String city) {
    return "(l=" + city + ")";
  }

  /** All of them, and who lives in a city. */
  private static void awaitAllHeldByFeed(SlapdWithFeed people, LDAPConnection client, String city) {
    List<String> filters = new ArrayList<>(List.of(CHECKED_FILTERS));
    filters.addAll(List.of(SAME));
    filters.add(living(city));
    people.awaitHeldByFeed(client, filters.toArray(String[]::new));
  }

  private static void move(SlapdWithFeed people, int person, String city) throws LDAPException {
    people.root().modify(People.dn(person), new Modification(ModificationType.REPLACE, "l", city));
  }

  /** Others write, and it is seen in time. */
  private static void seen(SlapdWithFeed people, LDAPConnection client, String city)
      throws Exception {
    move(people, 3, city);
    Await.until("it is seen", PATIENCE, () -> city.equals(value(client, "(uid=user.3)", "l")));
  }

  /** What Stoa gives is what the directory gives. */
  private static void right(SlapdWithFeed people, LDAPConnection client, String... cities) {
    List<String> filters = new ArrayList<>(List.of(CHECKED_FILTERS));
    filters.addAll(List.of(SAME));
    for (String city : cities) {
      filters.add(living(city));
    }
    for (String filter : filters) {
      assertThat(cities(client, filter)).as(filter).isEqualTo(cities(people.root(), filter));
    }
  }

  private static Map<String, String> cities(LDAPConnection who, String filter) {
    Map<String, String> cities = new TreeMap<>();
    for (SearchResultEntry entry : find(who, filter, "uid", "l").getSearchEntries()) {
      cities.put(entry.getAttributeValue("uid"), String.valueOf(entry.getAttributeValue("l")));
    }
    return cities;
  }

  /** What has not changed is given from memory, however old it is, and what has is right. */
  private static void asBefore(SlapdWithFeed people, LDAPConnection client, String city)
      throws Exception {
    people.awaitLive();
    assertThat(people.report().domain().gaps()).isZero();
    assertThat(people.remembered(client, SAME)).isGreaterThanOrEqualTo(REMEMBERED);
    right(people, client, city);
    people.awaitHeldByFeed(client, "(uid=user.3)", living(city));
  }

  /** Nobody who is moved at once after the plug was pulled lives where he did. */
  private static List<Question> questions(String city) {
    List<Question> questions = new ArrayList<>();
    for (String filter : CHECKED_FILTERS) {
      questions.add(client -> !city.equals(value(client, filter, "l")));
    }
    questions.add(client -> cities(client, living(city)).size() < CHANGED.length);
    return questions;
  }

  /**
   * Pulls the plug, and has others write at once.
   *
   * @return how long after the plug was pulled the last answer was sent for that rests on the feed:
   *     it is from before the write, and older than what does not rest on it may be
   */
  private static Duration resting(SlapdWithFeed people, Runnable plug, String city)
      throws Exception {
    try (RepeatingReaders askers = RepeatingReaders.of(people, questions(city))) {
      long pulled = System.nanoTime();
      plug.run();
      for (int person : CHANGED) {
        move(people, person, city);
      }
      long written = System.nanoTime() + MAX_AGE.toNanos();
      long last =
          askers.lastHeldByFeedNanos(
              Math.max(pulled + ASKING.toNanos(), written + SLACK.toNanos()));
      return Duration.ofNanos(last - written > 0 ? last - pulled : 0);
    }
  }

  private static void judge(String loss, List<Duration> resting) {
    List<Duration> sorted = resting.stream().sorted().toList();
    Duration worst = sorted.get(sorted.size() - 1);
    Duration median = sorted.get(sorted.size() / 2);
    Soak.record(
        "%s %d times: the last answer that rests on it was sent for %d ms after that at most, %d ms in the median (bound: %d ms)"
            .formatted(loss, sorted.size(), worst.toMillis(), median.toMillis(), LEASE.toMillis()));
    assertThat(worst).isLessThanOrEqualTo(LEASE.plus(SLACK));
    if (Soak.isLong()) {
      assertThat(median).isGreaterThan(LEASE.dividedBy(2)); // they were asked while it vouched
    }
  }

  /** Reads go on: each that others have changed, and each that they have not, is right. */
  private static void readsGoOn(SlapdWithFeed people, LDAPConnection client, int round)
      throws Exception {
    right(people, client, "City " + round);
    for (int i = 0; i < WRITES; i++) {
      seen(people, client, "City " + round + " " + i);
      assertThat(
              people.restingOnTheFeed(
                  MAX_AGE.multipliedBy(2), () -> find(client, "(uid=user.3)", "uid", "l")))
          .isZero();
      right(people, client, "City " + round, "City " + round + " " + i);
    }
  }

  private static void pull(String loss, Consumer<FeedRelay> plug) throws Exception {
    List<Duration> resting = new ArrayList<>();
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitProvable();
      for (int round = 0; round < ROUNDS; round++) {
        String city = "City " + round;
        awaitAllHeldByFeed(people, client, city);
        resting.add(resting(people, () -> plug.accept(people.relay()), city));
        readsGoOn(people, client, round);
        people.relay().goOn();
        asBefore(people, client, city);
      }
    }
    judge(loss, resting);
  }

  @Test
  void aCutFeedResumesFromItsPosition() throws Exception {
    pull("the feed was cut", FeedRelay::lose);
  }

  @Test
  void aSilentFeedGrantsNoLease() throws Exception {
    pull("the feed was silent", FeedRelay::hold);
  }

  @Test
  void resultsOfAFrozenServerDoNotOutliveTheLease() throws Exception {
    List<Duration> resting = new ArrayList<>();
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      for (int round = 0; round < ROUNDS; round++) {
        awaitAllHeldByFeed(people, client, "City " + round);
        resting.add(frozen(people));
        move(people, 4, "City " + round);
        seen(people, client, "Sparta " + round);
        asBefore(people, client, "City " + round);
      }
    }
    judge("the server was frozen", resting);
  }

  /**
   * Whatever is answered while the server stands still is from memory.
   *
   * @return how long after it stood still the last was sent for: from then on when that is sure,
   *     since it is another process that stops it, which may be late
   */
  private static Duration frozen(SlapdWithFeed people) throws Exception {
    List<Question> questions = new ArrayList<>();
    for (String filter : CHECKED_FILTERS) {
      questions.add(client -> isAnswered(client, filter));
    }
    try (RepeatingReaders askers = RepeatingReaders.of(people, questions)) {
      people.slapd().freeze();
      try {
        long stood = System.nanoTime();
        return Duration.ofNanos(
            Math.max(0, askers.lastHeldByFeedNanos(stood + ASKING.toNanos()) - stood));
      } finally {
        people.slapd().thaw();
      }
    }
  }

  private static boolean isAnswered(LDAPConnection client, String filter) throws LDAPException {
    SearchRequest search = new SearchRequest(People.PEOPLE, SearchScope.SUB, filter, "uid", "l");
    search.setResponseTimeoutMillis(200);
    try {
      return client.search(search).getEntryCount() == 1;
    } catch (LDAPException e) {
      return false;
    }
  }

  /** The administrator declares that nothing was edited offline: what was kept is right. */
  @Test
  void aTrustedRestartIsResumedFromThePosition() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).trustingRestarts().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      move(people, 4, "Athens");
      awaitAllHeldByFeed(people, client, "Athens");
      long connects = people.connects();
      people.slapd().restart();
      people.connect();
      people.awaitLiveAgain(connects);
      asBefore(people, client, "Athens");
      seen(people, client, "Sparta");
    }
  }

  /** It has lost the log of what it told, and perhaps the count of its changes. */
  @Test
  void noResultOutlivesAKilledServer() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(20, MAX_AGE).behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      awaitAllHeldByFeed(people, client, "Athens");
      long connects = people.connects();
      people.relay().lose();
      move(people, 3, "Athens");
      people.root().delete(People.dn(9));
      people.slapd().kill();
      people.slapd().restart();
      people.connect();
      people.relay().goOn();
      people.awaitLiveAgain(connects);
      assertThat(value(client, "(uid=user.9)", "uid")).isNull();
      assertThat(find(client, "(l=Athens)", "uid", "l").getEntryCount()).isEqualTo(1);
      assertThat(value(client, "(uid=user.3)", "l")).isEqualTo("Athens");
      people.awaitHeldByFeed(client, "(uid=user.3)");
      seen(people, client, "Sparta");
    }
  }

  /** It knows less than the feed: what was deleted last it does not count any more. */
  @Test
  void aServerBehindItsFeedIsResynced() throws Exception {
    try (SlapdWithFeed people = SlapdWithFeed.start(20, MAX_AGE);
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      awaitAllHeldByFeed(people, client, "Athens");
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
      people.awaitHeldByFeed(client, "(uid=user.3)");
      seen(people, client, "Thebes");
    }
  }
}
