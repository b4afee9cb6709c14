// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nobody knows whether a write was done, and the feed does not tell of it in time: what rested on
 * the feed, and is concerned, is given no more.
 */
class UnknownOutcomeFeedIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /**
   * How often it may happen that the feed has vouched for nothing any more before all was asked.
   */
  private static final int ATTEMPTS = 20;

  private static final int ROUNDS = 2;

  /** For so long the feed vouches for what was read before it fell silent, where that matters. */
  private static final Duration LONG = Duration.ofSeconds(6);

  /** For longer than it is tried to find out what has become of a write. */
  private static final Duration PAUSE = Duration.ofMillis(800);

  /** So long a server may work at it whose connection has ended, before this is tried again. */
  private static final Duration WORKING = Duration.ofMillis(500);

  private static final String ME = "(uid=user.1)";
  private static final String OTHER = "(uid=user.2)";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static String living(String city) {
    return "(l=" + city + ")";
  }

  /** The server has done it, and its answer is lost; or the connection ends as it is sent. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void resultsOnAFeedAreDroppedAfterAnUnknownOutcome(boolean atOnce) throws Exception {
    try (SlapdWithFeed people = SlapdWithFeedSetup.of(10, MAX_AGE).behindRelay().start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD);
        LDAPConnection another = people.client(People.dn(2), People.PASSWORD)) {
      int proved = 0;
      for (int i = 0; i < ATTEMPTS && proved < ROUNDS; i++) {
        proved += isProved(people, client, another, "Town " + i, atOnce) ? 1 : 0;
      }
      assertThat(proved).isEqualTo(ROUNDS);
    }
  }

  /** While other answers that rest on the feed are given again, which are not at first. */
  @Test
  void anUnknownOutcomeInvalidatesItsEntryWithoutTheFeed() throws Exception {
    SlapdWithFeedSetup setup =
        SlapdWithFeedSetup.of(10, MAX_AGE).bound(LONG).pausing(PAUSE).behindRelay();
    try (SlapdWithFeed people = setup.start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD);
        LDAPConnection another = people.client(People.dn(2), People.PASSWORD)) {
      boolean proved = false;
      for (int i = 0; i < ATTEMPTS && !proved; i++) {
        proved = isVoid(people, client, another, "Town " + i);
      }
      assertThat(proved).isTrue();
    }
  }

  /** Whether the feed has vouched for what was read before until all was asked. */
  private static boolean isVoid(
      SlapdWithFeed people, LDAPConnection client, LDAPConnection another, String city)
      throws Exception {
    people.awaitHeldByFeed(client, ME, OTHER, living(city));
    people.awaitHeldByFeed(another, ME, OTHER, living(city));
    people.relay().hold();
    try {
      assertThat(write(people, client, city, false)).isEqualTo(ResultCode.OTHER);
      assertThat(isDone(people, city)).isTrue();
      boolean given = false;
      while (!given && people.isLive()) {
        given = people.isRemembered(() -> find(another, OTHER, "uid", "l"));
      }
      isGiven(another, city);
      isGiven(client, city);
      return given && people.isLive();
    } finally {
      people.relay().goOn();
    }
  }

  /**
   * Writes, and asks for as long as the feed vouches for what was read before.
   *
   * @return whether it was done before others asked, and all could be asked then
   */
  private static boolean isProved(
      SlapdWithFeed people,
      LDAPConnection client,
      LDAPConnection another,
      String city,
      boolean atOnce)
      throws Exception {
    for (LDAPConnection one : new LDAPConnection[] {client, another}) {
      people.awaitHeldByFeed(one, ME, OTHER, living(city));
    }
    people.relay().hold();
    try {
      ResultCode outcome = write(people, client, city, atOnce);
      assertThat(outcome).isEqualTo(ResultCode.OTHER);
      boolean done = isDone(people, city);
      assertThat(atOnce || done).isTrue();
      int asked = 0;
      while (done && people.isLive()) {
        isGiven(client, city);
        isGiven(another, city);
        asked++;
      }
      return asked > 1;
    } finally {
      people.relay().goOn();
    }
  }

  /** Whether it is done: at once, where the answer was lost; soon, where the server works still. */
  private static boolean isDone(SlapdWithFeed people, String city) {
    long begun = System.nanoTime();
    boolean done = false;
    while (!done && System.nanoTime() - begun < WORKING.toNanos()) {
      done = city.equals(value(people.root(), ME, "l"));
    }
    return done;
  }

  private static ResultCode write(
      SlapdWithFeed people, LDAPConnection client, String city, boolean atOnce) {
    people.relay().endAt(city, atOnce);
    try {
      client.modify(People.dn(1), new Modification(ModificationType.REPLACE, "l", city));
      return ResultCode.SUCCESS;
    } catch (LDAPException e) {
      assertThat(people.relay().hasEnded()).isTrue();
      return e.getResultCode();
    }
  }

  /** What was done is seen, however it is asked for. */
  private static void isGiven(LDAPConnection client, String city) {
    assertThat(value(client, ME, "l")).isEqualTo(city);
    assertThat(find(client, living(city), "uid", "l").getEntryCount()).isEqualTo(1);
    assertThat(
            find(client, People.dn(1), SearchScope.BASE, "(objectClass=*)", "l")
                .getSearchEntries()
                .get(0)
                .getAttributeValue("l"))
        .isEqualTo(city);
  }
}
