// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that have a connection of their own: who gets one, and what it does to the caches. */
class RestrictedBindIT {
  private static final String X = People.dn(1);
  private static final String PASSWORD_POLICY = "1.3.6.1.4.1.42.2.27.8.5.1";
  private static final String EMPTY_POLICY = "3000";
  private static final String CHANGE_AFTER_RESET = "3003810102";
  private static final String UNKNOWN_EXTENSION = "1.2.3.4.5.6.7";
  private static final int SAME_ID = 700;
  private static final int SEARCHES = 5;
  private static final RawRequest READ = search(X).baseScope().request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    stateIs("old");
    proxy = ProxySetup.before(upstream.port()).maxAge(Duration.ofHours(1)).start();
  }

  @AfterEach
  void stop() {
    try {
      proxy.close();
    } finally {
      upstream.close();
    }
  }

  private void stateIs(String description) {
    upstream.when(RestrictedBindIT::isRead, Answers.entries(Answers.person("anna", description)));
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor(X);
  }

  private void bindsAreAnsweredWith(String policyValue) {
    byte[] value = HexFormat.of().parseHex(policyValue);
    Control policy = new Control(PASSWORD_POLICY, false, new ASN1OctetString(value));
    upstream.when(
        request -> request.is(Received.BIND),
        (request, link) ->
            link.send(request.messageId(), Responses.result(Received.BIND, 0).with(policy)));
  }

  private List<Integer> connectionsOfReads() {
    return upstream.received(RestrictedBindIT::isRead).stream().map(Received::connection).toList();
  }

  private void readOften(RawLdapClient client) {
    for (int i = 0; i < SEARCHES; i++) {
      assertThat(client.code(READ)).isZero();
    }
  }

  @Test
  void anEmptyPasswordPolicyResponseRestrictsNoClient() {
    bindsAreAnsweredWith(EMPTY_POLICY);
    try (RawLdapClient client = proxy.client().bind(X, People.PASSWORD);
        RawLdapClient other = proxy.client().bind(X, People.PASSWORD)) {
      readOften(client);
      readOften(other);
      assertThat(connectionsOfReads()).hasSize(1);
    }
  }

  @Test
  void aClientThatMustChangeItsPasswordIsPinnedWithoutCache() {
    bindsAreAnsweredWith(CHANGE_AFTER_RESET);
    try (RawLdapClient client = proxy.client().bind(X, People.PASSWORD);
        RawLdapClient other = proxy.client().bind(X, People.PASSWORD)) {
      readOften(client);
      readOften(other);
      List<Integer> used = connectionsOfReads();
      assertThat(used).hasSize(2 * SEARCHES);
      assertThat(used.subList(0, SEARCHES)).containsOnly(used.get(0));
      assertThat(used.subList(SEARCHES, used.size())).containsOnly(used.get(SEARCHES));
      assertThat(used.get(0)).isNotEqualTo(used.get(SEARCHES));
    }
  }

  /** The second use of the messageID must not hide the write's answer. */
  @Test
  void anAbandonedWriteTakesEffectThoughItsMessageIdIsReused() {
    try (RawLdapClient writer = proxy.client();
        RawLdapClient reader = proxy.client()) {
      assertThat(writer.code(Requests.extended(UNKNOWN_EXTENSION))).isZero();
      Held write = upstream.hold(request -> request.is(Received.MODIFY));
      writer.send(SAME_ID, Requests.replace(X, "description", "new"));
      write.awaitArrival();
      writer.send(Requests.abandon(SAME_ID));
      writer.send(SAME_ID, READ);
      assertThat(RawLdapClient.last(writer.await(SAME_ID)).resultCode()).isZero();
      assertThat(reads(reader, "old")).isTrue();
      assertThat(reads(reader, "old")).isTrue();
      stateIs("new");
      write.answer(Answers.success());
      Await.until("the write is seen", Duration.ofSeconds(5), () -> reads(reader, "new"));
    }
  }

  private static boolean reads(RawLdapClient reader, String description) {
    return reader.call(READ).get(0).mentions(description);
  }
}
