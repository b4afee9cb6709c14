// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.writes;

import static io.stoa.testing.RawLdapClient.last;
import static io.stoa.testing.Requests.replace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What a client reads while a write of its own waits for a window, which closes when the test says
 * so, before a slapd.
 */
class WindowReadsIT {
  private static final int PEOPLE = 1_200;
  private static final String NAME = "all";
  private static final Duration MAX_WINDOW = Duration.ofSeconds(10);

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private RunningProxy proxy;
  private RawLdapClient writer;
  private RawLdapClient other;

  @BeforeAll
  static void startSlapd() {
    slapd = Slapd.start(People.slapd(PEOPLE));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
  }

  @BeforeEach
  void start() {
    WindowConfig window = new WindowConfig(NAME, null, null, MAX_WINDOW, 64, Batch.SINGLE, false);
    proxy =
        ProxySetup.before(slapd.port())
            .maxAge(Duration.ofHours(1))
            .windows(window)
            .start()
            .awaitUp();
    Await.until("it is ready", () -> proxy.proxy().status().ready());
    writer = proxy.client().bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
    other = proxy.client().bind(People.dn(0), People.PASSWORD);
  }

  @AfterEach
  void stop() {
    writer.close();
    other.close();
    proxy.close();
  }

  /** Sends a write, and returns when it waits. */
  private int write(RawRequest request) {
    int waits = writer.send(request);
    Await.until("it waits", () -> waiting() == 1);
    return waits;
  }

  private int waiting() {
    return proxy.proxy().windows().status().get(0).waiting();
  }

  private void flush() {
    assertThat(proxy.proxy().windows().flush(NAME)).isPresent();
  }

  private static RawRequest titles(String filter) {
    return Requests.search(People.PEOPLE).filter(filter).attributes("title").request();
  }

  private static String person(int number) {
    return "(uid=user." + number + ")";
  }

  /** The read is not answered before the write is done, and shows it then. */
  private List<RawMessage> answerAfter(int write, RawRequest read) {
    int sent = writer.send(read);
    assertThat(other.call(titles(person(0)))).hasSize(2);
    assertThat(writer.take(sent)).isEmpty();
    assertThat(waiting()).isOne();
    flush();
    assertThat(last(writer.await(write)).resultCode()).isZero();
    return writer.await(sent);
  }

  @Test
  void searchesWithoutTheWrittenEntryAreAnsweredAtOnce() {
    int write = write(replace(People.dn(1), "title", "first"));
    assertThat(writer.call(titles(person(2)))).hasSize(2);
    assertThat(writer.call(titles("(|(uid=user.3)(uid=user.4))"))).hasSize(3);
    assertThat(writer.call(titles("(uid=nobody)"))).hasSize(1);
    assertThat(waiting()).isOne();
    flush();
    assertThat(last(writer.await(write)).resultCode()).isZero();
  }

  @Test
  void searchesThatShowTheWrittenEntryWait() {
    int write = write(replace(People.dn(1), "title", "second"));
    assertThat(answerAfter(write, titles(person(1))).get(0).mentions("second")).isTrue();
  }

  @Test
  void hitsThatShowTheWrittenEntryWait() {
    RawRequest read = titles("(&(objectClass=person)(uid=user.1))");
    writer.call(read);
    long hits = proxy.cache().filterHits();
    writer.call(read);
    assertThat(proxy.cache().filterHits()).isEqualTo(hits + 1);
    int write = write(replace(People.dn(1), "title", "third"));
    assertThat(answerAfter(write, read).get(0).mentions("third")).isTrue();
  }

  @Test
  void searchesForTheWrittenValueWait() {
    int write = write(replace(People.dn(1), "title", "fourth"));
    assertThat(answerAfter(write, titles("(title=fourth)"))).hasSize(2);
  }

  @Test
  void anEntryThatIsDeletedIsNotShownAfterwards() {
    int write = write(Requests.delete(People.dn(5)));
    assertThat(answerAfter(write, titles(person(5)))).hasSize(1);
  }

  @Test
  void anEntryThatIsAddedIsShown() {
    String[] lines = {"objectClass: inetOrgPerson", "cn: New", "sn: New", "title: fifth"};
    int write = write(Requests.add("uid=new," + People.PEOPLE, lines));
    List<RawMessage> answer = answerAfter(write, titles("(uid=new)"));
    assertThat(answer).hasSize(2);
    assertThat(answer.get(0).mentions("fifth")).isTrue();
  }

  @Test
  void comparesWait() {
    int write = write(replace(People.dn(1), "title", "sixth"));
    RawRequest compare = Requests.compare(People.dn(1), "title", "sixth");
    assertThat(last(answerAfter(write, compare)).resultCode()).isEqualTo(6);
  }

  /** More than is held: whether it shows the entry is not looked at to the end. */
  @Test
  void aLargeAnswerWaits() {
    String all =
        IntStream.range(100, PEOPLE)
            .mapToObj(WindowReadsIT::person)
            .collect(Collectors.joining("", "(|", ")"));
    int write = write(replace(People.dn(1), "title", "seventh"));
    assertThat(answerAfter(write, titles(all))).hasSize(PEOPLE - 100 + 1);
  }

  @Test
  void anAbandonedReadIsNotAnswered() {
    int write = write(replace(People.dn(1), "title", "eighth"));
    int read = writer.send(titles(person(1)));
    assertThat(writer.call(titles(person(0)))).hasSize(2);
    writer.send(Requests.abandon(read));
    flush();
    assertThat(last(writer.await(write)).resultCode()).isZero();
    assertThat(writer.call(titles(person(1))).get(0).mentions("eighth")).isTrue();
    assertThat(writer.take(read)).isEmpty();
    Await.until("nothing is left", () -> proxy.proxy().status().operationsInFlight() == 0);
  }

  @Test
  void anEntryWhoseWriteIsRefusedIsShownUnchanged() {
    int write = write(replace(People.dn(1), "noSuchAttribute", "ninth"));
    int read = writer.send(titles(person(1)));
    flush();
    assertThat(last(writer.await(write)).resultCode()).isEqualTo(17);
    assertThat(writer.await(read)).hasSize(2);
  }
}
