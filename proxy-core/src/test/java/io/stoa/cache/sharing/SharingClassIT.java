// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * I10 and I11: nobody is given what the directory would not give it, before a real slapd whose
 * answers differ by who asks; and where an administrator says wrongly that they do not, that is
 * found out before it has gone on for long.
 */
class SharingClassIT {
  private static final int PEOPLE = 6;
  private static final List<String> ATTRIBUTES = List.of("cn", "mail", "description", "sn", "uid");

  /** The first two are given the same; the third misses mail, the fourth sees more. */
  private static final String ACCESS =
      """
      index objectClass,uid eq
      access to attrs=userPassword by anonymous auth by * none
      access to attrs=mail by dn.exact="%3$s" none by anonymous none by * read
      access to attrs=description by dn.exact="%4$s" read by * none
      access to dn.exact="%5$s" by dn.exact="%3$s" none by * read
      access to * by * read
      """
          .replace("%3$s", People.dn(2))
          .replace("%4$s", People.dn(3))
          .replace("%5$s", People.dn(5));

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void startDirectory() {
    slapd = Slapd.start(SlapdConfig.stock().database(People.SUFFIX, ACCESS, People.tree(PEOPLE)));
  }

  @AfterAll
  static void stopDirectory() {
    slapd.close();
  }

  private static RunningProxy proxy(Duration maxAge, String... members) {
    List<Declaration> classes =
        members.length == 0
            ? List.of()
            : List.of(
                new Declaration(
                    "apps", List.of(members), List.of(), People.PEOPLE, Attributes.ALL, false));
    return ProxySetup.before(slapd.port())
        .maxAge(maxAge)
        .cache("sharing", new SharingConfig(classes, 1000))
        .coherence(Records.with(CoherenceConfig.DEFAULTS, "maxStaleness", Duration.ofMillis(500)))
        .start();
  }

  private static RawRequest search(Random random) {
    int person = random.nextInt(PEOPLE);
    String[] names = random.nextBoolean() ? new String[0] : new String[] {any(random), any(random)};
    return switch (random.nextInt(4)) {
      case 0 -> Requests.search(People.dn(person)).baseScope().attributes(names).request();
      case 1 -> Requests.search(People.PEOPLE).filter("(mail=*)").attributes(names).request();
      case 2 -> Requests.compare(People.dn(person), "mail", "user." + person + "@example.com");
      default ->
          Requests.search(People.SUFFIX)
              .filter("(uid=user." + person + ")")
              .attributes(names)
              .request();
    };
  }

  private static String any(Random random) {
    return ATTRIBUTES.get(random.nextInt(ATTRIBUTES.size()));
  }

  private static String answerText(RawLdapClient client, RawRequest request) {
    List<String> ops =
        client.call(request).stream().map(message -> Arrays.toString(message.op())).toList();
    return String.join("\n", ops);
  }

  /** What the directory gives each of them; nothing is written meanwhile. */
  private static final class Truth implements AutoCloseable {
    private final List<RawLdapClient> direct = new ArrayList<>();
    private final Map<String, String> known = new HashMap<>();

    Truth() {
      for (int who = 0; who < PEOPLE; who++) {
        direct.add(RawLdapClient.connect(slapd.address()).bind(People.dn(who), People.PASSWORD));
      }
    }

    String of(int who, long seed) {
      return known.computeIfAbsent(
          who + " " + seed, key -> answerText(direct.get(who), search(new Random(seed))));
    }

    @Override
    public void close() {
      direct.forEach(RawLdapClient::close);
    }
  }

  private static RawLdapClient client(RunningProxy proxy, int who) {
    return proxy.client().bind(People.dn(who), People.PASSWORD);
  }

  private static ClassStatus status(RunningProxy proxy) {
    return proxy.cache().classes().get(0);
  }

  /** The state may be seen before its line is written. */
  private void awaitDemotionLog(int times) {
    Await.until("the demotion is said", () -> log.warnings().size() >= times);
    assertThat(log.warnings())
        .hasSize(times)
        .allMatch(line -> line.contains("sharing class apps demoted"));
  }

  /** How often one of them is given something else than the directory would give it. */
  private static int wrong(RunningProxy proxy, Truth truth, int searches, long seed) {
    Random random = new Random(seed);
    List<RawLdapClient> clients = new ArrayList<>();
    for (int who = 0; who < PEOPLE; who++) {
      clients.add(client(proxy, who));
    }
    int wrong = 0;
    for (int turn = 0; turn < searches; turn++) {
      int who = random.nextInt(PEOPLE);
      long which = random.nextInt(60);
      String given = answerText(clients.get(who), search(new Random(which)));
      wrong += given.equals(truth.of(who, which)) ? 0 : 1;
    }
    clients.forEach(RawLdapClient::close);
    return wrong;
  }

  @Test
  void identitiesShareNoHitsByDefault() {
    try (Truth truth = new Truth();
        RunningProxy proxy = proxy(Duration.ofSeconds(5))) {
      assertThat(wrong(proxy, truth, 3000, 1)).isZero();
      assertThat(proxy.cache().filterHits()).isGreaterThan(1000);
      assertThat(proxy.cache().classes()).isEmpty();
    }
  }

  @Test
  void membersOfACorrectClassShareWithoutWrongAnswers() {
    try (Truth truth = new Truth();
        RunningProxy proxy =
            proxy(Duration.ofSeconds(5), People.dn(0), People.dn(1), People.dn(4))) {
      assertThat(wrong(proxy, truth, 3000, 2)).isZero();
      Await.until("answers are compared", () -> status(proxy).samples() > 100);
      assertThat(status(proxy).differences()).isZero();
      assertThat(status(proxy).demoted()).isFalse();
      assertThat(status(proxy).members()).isEqualTo(3);
      try (RawLdapClient one = client(proxy, 0);
          RawLdapClient two = client(proxy, 1)) {
        RawRequest fresh = Requests.search(People.PEOPLE).filter("(sn=Number1)").request();
        one.call(fresh);
        long before = proxy.cache().filterHits();
        two.call(fresh);
        assertThat(proxy.cache().filterHits()).isEqualTo(before + 1);
      }
    }
  }

  /** The third sees less, the fourth more: each of them is enough, whoever asks first. */
  @Test
  void anIncorrectClassIsDemotedAfterFewWrongAnswers() {
    try (Truth truth = new Truth();
        RunningProxy proxy = proxy(Duration.ofSeconds(5), "*," + People.PEOPLE)) {
      int wrong = 0;
      for (long seed = 3; !status(proxy).demoted(); seed++) {
        wrong += wrong(proxy, truth, 200, seed);
      }
      assertThat(wrong).as("answers of another member").isLessThan(PEOPLE * 16);
      assertThat(status(proxy).demotions()).isEqualTo(1);
      assertThat(wrong(proxy, truth, 1000, 2)).isZero();
      awaitDemotionLog(1);

      assertThat(proxy.proxy().adminCommands().caches().classes().restore("apps")).isTrue();
      for (long seed = 3; !status(proxy).demoted(); seed++) {
        wrong(proxy, truth, 200, seed);
      }
      assertThat(status(proxy).demotions()).isEqualTo(2);
      awaitDemotionLog(2);
    }
  }

  /** It asks on its own, one search at a time: it is given one answer that is not its own. */
  @Test
  void aMemberWithFewerRightsGetsOneWrongAnswer() {
    RawRequest search = Requests.search(People.dn(4)).baseScope().attributes("mail").request();
    try (RunningProxy proxy = proxy(Duration.ofSeconds(5), People.dn(0), People.dn(2));
        RawLdapClient one = client(proxy, 0);
        RawLdapClient other = client(proxy, 2)) {
      one.call(search);
      int shown = 0;
      for (int turn = 0; !status(proxy).demoted(); turn++) {
        one.call(search);
        shown += mentionsMail(other.call(search)) ? 1 : 0;
        long differences = status(proxy).differences();
        if (turn == 0 && differences == 0) {
          Await.until("it is compared", () -> status(proxy).differences() > 0);
          Await.until("the reader is suspended back, too", () -> status(proxy).suspended() == 2);
        }
      }
      assertThat(shown).isEqualTo(1);
      awaitDemotionLog(1);
    }
  }

  /** It is the same to the directory: neither is it new, nor can it speak for itself. */
  @Test
  void anotherSpellingIsTheSameMember() {
    RawRequest search = Requests.search(People.dn(4)).baseScope().attributes("mail").request();
    try (RunningProxy proxy = proxy(Duration.ofHours(1), "*," + People.PEOPLE);
        RawLdapClient one = client(proxy, 0);
        RawLdapClient two = client(proxy, 1);
        RawLdapClient less = client(proxy, 2)) {
      one.call(search);
      int shown = mentionsMail(less.call(search)) ? 1 : 0;
      Await.until("both are held", () -> status(proxy).suspended() == 2);
      for (int spelling = 0; !status(proxy).demoted(); spelling++) {
        less.bind(spelled(People.dn(2), spelling), People.PASSWORD);
        shown += mentionsMail(less.call(search)) ? 1 : 0;
        two.call(search);
        less.bind(spelled(People.dn(2), spelling + 1), People.PASSWORD);
        shown += mentionsMail(less.call(search)) ? 1 : 0;
      }
      assertThat(shown).isEqualTo(1);
      awaitDemotionLog(1);
    }
  }

  /** The same DN as one of many strings. */
  private static String spelled(String dn, int number) {
    String type = (number & 1) == 0 ? "uid" : "UID";
    return dn.replaceFirst("uid", type).replaceFirst(",", "," + " ".repeat(number % 7));
  }

  /** It is somebody else by the time at which it is to be asked again, each time. */
  @Test
  void aMemberThatLeavesAtOnceIsVerifiedNevertheless() {
    RawRequest search = Requests.search(People.dn(4)).baseScope().attributes("mail").request();
    int[] shown = {0};
    try (RunningProxy proxy = proxy(Duration.ofHours(1), People.dn(0), People.dn(2));
        RawLdapClient one = client(proxy, 0);
        RawLdapClient other = client(proxy, 2)) {
      one.call(search);
      Await.until(
          "it is compared",
          () -> {
            other.bind(People.dn(2), People.PASSWORD);
            int id = other.sendTogether(search, Requests.anonymousBind());
            shown[0] += mentionsMail(other.await(id)) ? 1 : 0;
            other.await(id + 1);
            return status(proxy).differences() > 0;
          });
      assertThat(shown[0]).isEqualTo(1);
      Await.until("both are held", () -> status(proxy).suspended() == 2);
    }
  }

  /** It always asks first, and all others see alike: one of them is given one answer of it. */
  @Test
  void aMemberWithMoreRightsLeaksOneAnswer() {
    try (RunningProxy proxy =
            proxy(Duration.ofSeconds(5), People.dn(0), People.dn(1), People.dn(3));
        RawLdapClient one = client(proxy, 0);
        RawLdapClient two = client(proxy, 1);
        RawLdapClient more = client(proxy, 3)) {
      int shown = 0;
      for (int turn = 0; !status(proxy).demoted(); turn++) {
        RawRequest search =
            Requests.search(People.dn(4))
                .baseScope()
                .filter("(|(uid=" + turn + ")(objectClass=*))")
                .attributes("description")
                .request();
        assertThat(hasDescription(more.call(search))).isTrue();
        shown += hasDescription(one.call(search)) ? 1 : 0;
        if (turn == 0) {
          Await.until("both are held", () -> status(proxy).suspended() == 2);
        }
        shown += hasDescription(two.call(search)) ? 1 : 0;
      }
      assertThat(shown).isEqualTo(1);
      awaitDemotionLog(1);
    }
  }

  private static boolean hasDescription(List<RawMessage> answer) {
    return answer.get(0).mentions("description");
  }

  private static boolean mentionsMail(List<RawMessage> answer) {
    return answer.get(0).mentions("@example.com");
  }

  /** A change makes a difference, too: that is no reason. */
  @Test
  void aChangeDemotesNoClass() throws Exception {
    RawRequest search = Requests.search(People.dn(4)).baseScope().attributes("sn").request();
    try (RunningProxy proxy = proxy(Duration.ofHours(1), People.dn(0), People.dn(1));
        RawLdapClient one = client(proxy, 0);
        RawLdapClient two = client(proxy, 1);
        RawLdapClient root =
            RawLdapClient.connect(slapd.address()).bind(People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      for (int change = 0; change < 5; change++) {
        one.call(search);
        Await.until("all is compared", () -> status(proxy).samples() == status(proxy).hits());
        assertThat(root.code(Requests.replace(People.dn(4), "sn", "Other" + change))).isZero();
        two.call(search);
        long wanted = change + 1L;
        Await.until("it is compared", () -> status(proxy).differences() == wanted);
        Await.until(
            "it is explained",
            () -> {
              one.call(search);
              return status(proxy).suspended() == 0;
            });
      }
      assertThat(root.code(Requests.replace(People.dn(4), "sn", "Number4"))).isZero();
      assertThat(status(proxy).demoted()).isFalse();
    }
  }
}
