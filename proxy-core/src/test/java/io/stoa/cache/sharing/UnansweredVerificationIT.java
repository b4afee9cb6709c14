// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Hits are asked again of a server that does not answer. */
class UnansweredVerificationIT {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ONE = "uid=one," + SUFFIX;
  private static final String TWO = "uid=two," + SUFFIX;
  private static final String THREE = "uid=three," + SUFFIX;
  private static final RawRequest QUESTION =
      Requests.search(SUFFIX).filter("(uid=x)").attributes("cn").request();

  @RegisterExtension final ScriptedUpstream upstream = ScriptedUpstream.start();

  private static boolean isQuestion(Received request) {
    return request.isSearchFor(SUFFIX);
  }

  private RunningProxy proxy() {
    return proxy(Duration.ofMillis(500));
  }

  private RunningProxy proxy(Duration patience) {
    Declaration apps =
        new Declaration("apps", List.of(ONE, TWO, THREE), List.of(), SUFFIX, Attributes.ALL, false);
    return ProxySetup.before(upstream.port())
        .maxAge(Duration.ofHours(1))
        .upstream("queueTimeout", patience)
        .cache("sharing", new SharingConfig(List.of(apps), 1000))
        .start();
  }

  private static ClassStatus status(RunningProxy proxy) {
    return proxy.cache().classes().get(0);
  }

  /** Is somebody else before it can be asked again. */
  private static void askAndLeave(RawLdapClient client) {
    int id = client.sendTogether(QUESTION, Requests.anonymousBind());
    assertThat(client.await(id)).hasSize(2);
    client.await(id + 1);
  }

  /** Whoever always leaves as soon as it has its answer would be missed again and again. */
  @Test
  void aMemberThatOwesAVerificationGetsNoHits() {
    upstream.when(
        UnansweredVerificationIT::isQuestion, Answers.entries(new Entry("uid=x," + SUFFIX)));
    try (RunningProxy proxy = proxy();
        RawLdapClient one = client(proxy, ONE);
        RawLdapClient two = client(proxy, TWO)) {
      one.call(QUESTION);
      for (int hits = 1; hits <= 2; hits++) {
        long wanted = hits;
        askAndLeave(two);
        assertThat(status(proxy).hits()).isEqualTo(wanted);
        two.bind(TWO, "secret");
        long before = proxy.cache().filterMisses();
        Await.until(
            "its request goes upstream",
            () -> {
              two.call(QUESTION);
              return proxy.cache().filterMisses() > before;
            });
        Await.until("it is compared", () -> status(proxy).samples() == wanted);
      }
      assertThat(status(proxy).differences()).isZero();
    }
  }

  /** What is said to another one is not what it would be told. */
  @Test
  void aVerificationEndsWhenItsClientRebinds() {
    upstream.when(
        UnansweredVerificationIT::isQuestion, Answers.entries(new Entry("uid=x," + SUFFIX)));
    try (RunningProxy proxy = proxy(Duration.ofMinutes(10));
        RawLdapClient one = client(proxy, ONE);
        RawLdapClient two = client(proxy, TWO);
        RawLdapClient more = client(proxy, TWO)) {
      one.call(QUESTION);
      upstream.when(UnansweredVerificationIT::isQuestion, Answers.silence());
      two.call(QUESTION);
      two.call(QUESTION);
      upstream.awaitReceived(3, UnansweredVerificationIT::isQuestion);
      two.bind(THREE, "secret");
      upstream.awaitReceived(2, request -> request.is(Received.ABANDON));
      assertThat(status(proxy).samples()).isZero();
      upstream.when(
          UnansweredVerificationIT::isQuestion, Answers.entries(new Entry("uid=x," + SUFFIX)));
      long misses = proxy.cache().filterMisses();
      more.call(QUESTION);
      assertThat(proxy.cache().filterMisses())
          .as("hits of the class, which shares nothing")
          .isEqualTo(misses + 1);
      Await.until("both are asked again", () -> status(proxy).samples() == 2);
    }
  }

  private static RawLdapClient client(RunningProxy proxy, String dn) {
    return proxy.client().bind(dn, "secret");
  }

  /** The one that waits for an answer waits no longer than for its turn. */
  @Test
  void anUnansweredVerificationDoesNotBlockOthersForLong() {
    upstream.when(
        UnansweredVerificationIT::isQuestion, Answers.entries(new Entry("uid=x," + SUFFIX)));
    try (RunningProxy proxy = proxy();
        RawLdapClient one = client(proxy, ONE);
        RawLdapClient two = client(proxy, TWO);
        RawLdapClient three = client(proxy, THREE)) {
      one.call(QUESTION);
      upstream.when(UnansweredVerificationIT::isQuestion, Answers.silence());
      for (int hit = 0; hit < Verifier.MAX_CONCURRENT; hit++) {
        assertThat(two.call(QUESTION)).hasSize(2);
      }
      upstream.awaitReceived(1 + Verifier.MAX_CONCURRENT, UnansweredVerificationIT::isQuestion);
      long before = proxy.cache().filterHits();
      Await.until(
          "another one is given it from memory",
          () -> {
            three.send(QUESTION);
            return proxy.cache().filterHits() > before;
          });
    }
  }
}
