// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import static io.stoa.testing.RawLdapClient.last;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import io.stoa.ldap.protocol.Oids;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import io.stoa.write.WindowStatus;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Writes that wait for a window, which closes when the test says so. */
class WindowIT {
  private static final String PEOPLE = "ou=people,dc=example,dc=com";
  private static final String ANNA = "uid=anna," + PEOPLE;
  private static final String BERT = "uid=bert," + PEOPLE;
  private static final String OUTSIDE = "cn=printer,dc=example,dc=com";
  private static final String NAME = "people";
  private static final Duration MAX_WINDOW = Duration.ofSeconds(10);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream upstream = ScriptedUpstream.start();

  private RunningProxy proxy;

  @AfterEach
  void stop() {
    proxy.close();
  }

  private static WindowConfig window(int max, boolean passwords) {
    return new WindowConfig(NAME, PEOPLE, null, MAX_WINDOW, max, Batch.SINGLE, passwords);
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port()).operationTimeout(Duration.ofMinutes(1));
  }

  private void start() {
    start(window(64, false));
  }

  private void start(WindowConfig window) {
    proxy = setup().windows(window).start().awaitUp();
  }

  private WindowStatus window() {
    return proxy.proxy().windows().status().get(0);
  }

  private void awaitWaiting(int count) {
    Await.until(count + " writes wait", () -> window().waiting() == count);
  }

  private void flush() {
    assertThat(proxy.proxy().windows().flush(NAME)).isPresent();
  }

  private RawLdapClient bound(String who) {
    return proxy.client().bind("uid=" + who + "," + PEOPLE, "secret");
  }

  private static boolean isWrite(Received request) {
    return request.is(Received.MODIFY);
  }

  private int writes() {
    return upstream.received(WindowIT::isWrite).size();
  }

  @Test
  void aWriteWaitsAndHasItsOwnResult() {
    start();
    upstream.when(
        request -> isWrite(request) && request.message().mentions("bert"), Answers.result(50));
    try (RawLdapClient client = bound("anna");
        RawLdapClient other = bound("carla")) {
      int first = client.send(replace(ANNA, "sn", "a"));
      int second = other.send(replace(BERT, "sn", "b"));
      awaitWaiting(2);
      assertThat(writes()).isZero();
      flush();
      assertThat(last(client.await(first)).resultCode()).isZero();
      assertThat(last(other.await(second)).resultCode()).isEqualTo(50);
      assertThat(window().closed()).isOne();
      assertThat(window().operations()).isEqualTo(2);
    }
  }

  @Test
  void aWindowClosesWhenItIsFull() {
    start(window(3, false));
    try (RawLdapClient client = bound("anna")) {
      for (int i = 0; i < 3; i++) {
        client.send(1000 + i, replace("uid=u" + i + "," + PEOPLE, "sn", "x"));
      }
      for (int i = 0; i < 3; i++) {
        assertThat(last(client.await(1000 + i)).resultCode()).isZero();
      }
    }
  }

  @Test
  void aWindowClosesAfterItsMaximumTime() {
    start(new WindowConfig(NAME, null, null, Duration.ofMillis(20), 64, Batch.SINGLE, false));
    try (RawLdapClient client = bound("anna")) {
      for (int i = 0; i < 5; i++) {
        assertThat(client.code(replace(ANNA, "sn", "x" + i))).isZero();
      }
    }
    assertThat(window().closed()).isEqualTo(5);
  }

  @Test
  void writesOfOneEntryAreSequential() {
    start();
    Held first = upstream.hold(WindowIT::isWrite);
    Held other = upstream.hold(request -> isWrite(request) && request.message().mentions("bert"));
    try (RawLdapClient client = bound("anna")) {
      int one = client.send(replace(ANNA, "sn", "1"));
      int two = client.send(replace(ANNA, "sn", "2"));
      int three = client.send(replace(BERT, "sn", "3"));
      awaitWaiting(3);
      flush();
      first.awaitArrival();
      other.awaitArrival(); // of another entry: it overtakes the second
      assertThat(writes()).isEqualTo(2);
      other.answer(Answers.success());
      first.answer(Answers.success());
      assertThat(last(client.await(one)).resultCode()).isZero();
      assertThat(last(client.await(two)).resultCode()).isZero();
      assertThat(last(client.await(three)).resultCode()).isZero();
    }
  }

  @Test
  void writesOfOneEntryAreSequentialWithoutAWindow() {
    start();
    Held first = upstream.hold(WindowIT::isWrite);
    Held above = upstream.hold(request -> request.is(Received.DELETE));
    try (RawLdapClient client = bound("anna")) {
      int one = client.send(replace("cn=a," + OUTSIDE, "sn", "1"));
      int two = client.send(Requests.delete(OUTSIDE));
      int three = client.send(Requests.compare(ANNA, "sn", "x"));
      first.awaitArrival();
      assertThat(last(client.await(three)).resultCode()).isLessThan(7); // reads go their way
      assertThat(above.hasArrived()).isFalse();
      first.answer(Answers.success());
      above.awaitArrival();
      assertThat(last(client.await(one)).resultCode()).isZero();
      above.answer(Answers.success());
      assertThat(last(client.await(two)).resultCode()).isZero();
    }
  }

  @Test
  void aWindowInvalidatesTheCachesOnce() {
    start();
    RawRequest read = search(OUTSIDE).baseScope().request();
    upstream.when(request -> request.isSearchFor("printer"), Answers.entries(new Entry(OUTSIDE)));
    try (RawLdapClient writer = bound("anna");
        RawLdapClient reader = bound("carla")) {
      reader.call(read);
      long endings = proxy.cache().invalidations();
      for (int i = 0; i < 10; i++) {
        writer.send(1000 + i, replace("uid=u" + i + "," + PEOPLE, "sn", "x"));
      }
      awaitWaiting(10);
      long hits = proxy.cache().filterHits();
      reader.call(read);
      assertThat(proxy.cache().filterHits()).isEqualTo(hits + 1);
      flush();
      for (int i = 0; i < 10; i++) {
        assertThat(last(writer.await(1000 + i)).resultCode()).isZero();
      }
      assertThat(proxy.cache().invalidations()).isEqualTo(endings + 1);
    }
  }

  @Test
  void onlyTheWritersReadsOfTheEntryWait() {
    start();
    RawRequest read = search(ANNA).baseScope().request();
    try (RawLdapClient writer = bound("anna");
        RawLdapClient same = bound("anna");
        RawLdapClient reader = bound("carla")) {
      same.call(read); // it could be given from memory
      int write = writer.send(replace(ANNA, "sn", "new"));
      awaitWaiting(1);
      int before = upstream.received(request -> request.isSearchFor("anna")).size();
      int waits = same.send(read);
      assertThat(last(reader.call(read)).resultCode()).isZero();
      assertThat(last(same.call(search(BERT).baseScope().request())).resultCode()).isZero();
      assertThat(same.take(waits)).isEmpty();
      flush();
      assertThat(last(writer.await(write)).resultCode()).isZero();
      assertThat(last(same.await(waits)).resultCode()).isZero();
      assertThat(upstream.received(request -> request.isSearchFor("anna"))).hasSize(before + 2);
    }
  }

  @Test
  void aReadDoesNotWaitForAnAbandonedWrite() {
    start();
    try (RawLdapClient writer = bound("anna");
        RawLdapClient same = bound("anna")) {
      int write = writer.send(replace(ANNA, "sn", "new"));
      awaitWaiting(1);
      int waits = same.send(search(ANNA).baseScope().request());
      assertThat(last(same.call(search(BERT).baseScope().request())).resultCode()).isZero();
      writer.send(Requests.abandon(write));
      assertThat(last(same.await(waits)).resultCode()).isZero();
      assertThat(writes()).isZero();
    }
  }

  @Test
  void aWriteOfALostClientIsDropped() {
    start();
    try (RawLdapClient client = bound("anna")) {
      int left = client.send(replace(ANNA, "sn", "1"));
      int kept = client.send(replace(ANNA, "sn", "2"));
      RawLdapClient gone = bound("bert");
      gone.send(replace(BERT, "sn", "3"));
      awaitWaiting(3);
      client.send(Requests.abandon(left));
      gone.close();
      awaitWaiting(1);
      flush();
      assertThat(last(client.await(kept)).resultCode()).isZero();
      assertThat(writes()).isOne();
      assertThat(window().dropped()).isEqualTo(2);
    }
  }

  @Test
  void anUrgentWritePassesAndFlushesEarlierWrites() {
    start();
    try (RawLdapClient client = bound("anna")) {
      assertThat(client.code(replace(ANNA, "userPassword", "new"))).isZero();
      assertThat(client.code(replace(ANNA, "sn", "x").with(new Control(Oids.WRITE_NOW)))).isZero();
      assertThat(writes()).isEqualTo(2);
      int other = client.send(replace(BERT, "sn", "1"));
      awaitWaiting(1);
      assertThat(client.code(replace(ANNA, "sn", "y").with(new Control(Oids.WRITE_NOW)))).isZero();
      assertThat(window().waiting()).isOne();
      int before = client.send(replace(ANNA, "sn", "2"));
      assertThat(client.code(replace(ANNA, "userPassword", "newer"))).isZero();
      assertThat(last(client.await(before)).resultCode()).isZero();
      assertThat(last(client.await(other)).resultCode()).isZero();
    }
  }

  @Test
  void aWindowMayBeForOneClient() {
    start(new WindowConfig(NAME, null, ANNA, MAX_WINDOW, 64, Batch.SINGLE, true));
    try (RawLdapClient anna = bound("anna");
        RawLdapClient bert = bound("bert")) {
      assertThat(bert.code(replace(BERT, "sn", "x"))).isZero();
      int waits = anna.send(replace(OUTSIDE, "userPassword", "x"));
      awaitWaiting(1);
      flush();
      assertThat(last(anna.await(waits)).resultCode()).isZero();
    }
  }

  @Test
  void aDrainFlushesTheWindow() {
    start();
    try (RawLdapClient client = bound("anna")) {
      int waits = client.send(replace(ANNA, "sn", "x"));
      awaitWaiting(1);
      proxy.proxy().drain(Duration.ofSeconds(10));
      assertThat(last(client.await(waits)).resultCode()).isZero();
    }
  }

  @Test
  void writesPassAPausedWindow() {
    start();
    try (RawLdapClient client = bound("anna")) {
      int waits = client.send(replace(ANNA, "sn", "x"));
      awaitWaiting(1);
      assertThat(proxy.proxy().windows().pause(NAME, true)).isPresent();
      assertThat(last(client.await(waits)).resultCode()).isZero();
      assertThat(client.code(replace(ANNA, "sn", "y"))).isZero();
      assertThat(proxy.proxy().windows().pause(NAME, false)).isPresent();
      waits = client.send(replace(ANNA, "sn", "z"));
      awaitWaiting(1);
      flush();
      assertThat(last(client.await(waits)).resultCode()).isZero();
    }
  }

  @Test
  void aLostWriteHasAnUnknownOutcome() {
    start();
    Held lost = upstream.hold(WindowIT::isWrite);
    try (RawLdapClient client = bound("anna")) {
      int one = client.send(replace(ANNA, "sn", "x"));
      int two = client.send(replace(ANNA, "sn", "y"));
      awaitWaiting(2);
      flush();
      lost.awaitArrival();
      upstream.dropConnections();
      RawMessage lostAnswer = last(client.await(one));
      assertThat(lostAnswer.resultCode()).isEqualTo(80);
      assertThat(lostAnswer.mentions("outcome unknown")).isTrue();
      assertThat(last(client.await(two)).resultCode()).isZero();
    }
  }

  @Test
  void anUnansweredWriteDoesNotBlockOtherEntries() {
    start();
    Held slow = upstream.hold(request -> isWrite(request) && request.message().mentions("slow"));
    try (RawLdapClient client = bound("anna");
        RawLdapClient other = bound("bert")) {
      int late = client.send(replace(ANNA, "sn", "slow"));
      awaitWaiting(1);
      int quick = other.send(replace(BERT, "sn", "y"));
      awaitWaiting(2);
      flush();
      slow.awaitArrival();
      assertThat(last(other.await(quick)).resultCode()).isZero();
      slow.answer(Answers.success());
      assertThat(last(client.await(late)).resultCode()).isZero();
    }
  }
}
