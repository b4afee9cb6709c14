// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.saslBind;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Mechanisms of which Stoa knows nothing: each step goes to the directory as it is, each answer to
 * the client, until the directory says that it is over.
 */
class SaslStepsIT {
  private static final int SUCCESS = 0;
  private static final int IN_PROGRESS = 14;
  private static final int INVALID_CREDENTIALS = 49;
  private static final String BEARER =
      "n,a=user@example.com,\u0001host=localhost\u0001auth=Bearer vF9dft4qmTc2Nvb3RlckBhb\u0001\u0001";
  private static final String REFUSAL = "{\"status\":\"invalid_token\",\"scope\":\"ldap\"}";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Deque<RawRequest> answers = new ArrayDeque<>();
  private ScriptedUpstream upstream;
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    upstream.when(
        SaslStepsIT::isBind,
        (request, link) -> link.send(request.messageId(), answers.removeFirst()));
    upstream.when(
        request -> request.is(Received.EXTENDED),
        (request, link) -> link.send(request.messageId(), Responses.extendedValue("u:somebody")));
    upstream.when(
        request -> request.isSearchFor(People.dn(1)),
        Answers.entries(Answers.person("anna", "her own")));
    proxy = ProxySetup.before(upstream.port()).start();
  }

  @AfterEach
  void stop() {
    proxy.close();
    upstream.close();
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND);
  }

  /**
   * Each step and each answer arrives octet for octet, but for messageIDs; all on one connection.
   */
  private void assertPasses(RawLdapClient client, List<RawRequest> steps, RawRequest... said) {
    answers.addAll(List.of(said));
    int before = upstream.received(SaslStepsIT::isBind).size();
    for (int i = 0; i < said.length; i++) {
      RawMessage answer = client.call(steps.get(i)).get(0);
      assertThat(answer.body()).isEqualTo(RawMessage.parse(said[i].encode(1)).body());
    }
    List<Received> all = upstream.received(SaslStepsIT::isBind);
    List<Received> arrived = all.subList(before, all.size());
    assertThat(arrived.stream().map(step -> step.message().body()))
        .containsExactlyElementsOf(
            steps.stream().map(step -> RawMessage.parse(step.encode(1)).body()).toList());
    assertThat(arrived.stream().map(Received::connection).distinct()).hasSize(1);
  }

  private void assertBoundAndServedFromCache(RawLdapClient client) {
    RawRequest read = Requests.search(People.dn(1)).baseScope().request();
    long hits = proxy.cache().filterHits();
    assertThat(client.call(read).get(0).mentions("her own")).isTrue();
    assertThat(client.call(read).get(0).mentions("her own")).isTrue();
    assertThat(proxy.cache().filterHits()).isEqualTo(hits + 1);
    assertThat(upstream.received(request -> request.is(Received.EXTENDED))).hasSize(1);
  }

  private static List<RawRequest> login(String password) {
    return List.of(
        saslBind("LOGIN"), saslBind("LOGIN", People.user(1)), saslBind("LOGIN", password));
  }

  @Test
  void threeStepsSucceed() {
    try (RawLdapClient client = proxy.client()) {
      assertPasses(
          client,
          login(People.PASSWORD),
          Responses.saslStep(IN_PROGRESS, "User Name"),
          Responses.saslStep(IN_PROGRESS, "Password"),
          Responses.saslStep(SUCCESS, "welcome"));
      assertBoundAndServedFromCache(client);
    }
  }

  @Test
  void theLastOfThreeStepsIsRefused() {
    try (RawLdapClient client = proxy.client()) {
      assertPasses(
          client,
          login("wrong"),
          Responses.saslStep(IN_PROGRESS, "User Name"),
          Responses.saslStep(IN_PROGRESS, ""),
          Responses.saslStep(INVALID_CREDENTIALS, "no"));
      assertThat(client.code(People.find(1))).isEqualTo(SUCCESS);
      assertThat(upstream.received(request -> request.is(Received.EXTENDED))).isEmpty();
    }
  }

  @Test
  void aSingleStepSucceeds() {
    try (RawLdapClient client = proxy.client()) {
      assertPasses(
          client,
          List.of(saslBind("OAUTHBEARER", BEARER)),
          Responses.result(Received.BIND, SUCCESS));
      assertBoundAndServedFromCache(client);
    }
  }

  /** RFC 7628, section 3.2.2: the error is a challenge, and the client gives up by one octet. */
  @Test
  void aRefusalWithAnExplanationTakesTwoSteps() {
    try (RawLdapClient client = proxy.client()) {
      assertPasses(
          client,
          List.of(saslBind("OAUTHBEARER", BEARER), saslBind("OAUTHBEARER", "\u0001")),
          Responses.saslStep(IN_PROGRESS, REFUSAL),
          Responses.result(Received.BIND, INVALID_CREDENTIALS));
      assertPasses(
          client,
          List.of(saslBind("OAUTHBEARER", BEARER)),
          Responses.result(Received.BIND, SUCCESS));
      assertBoundAndServedFromCache(client);
    }
  }

  @Test
  void anotherMechanismWorksAfterAnUnsupportedOne() {
    try (RawLdapClient client = proxy.client()) {
      assertPasses(client, List.of(saslBind("X-OURS", "a")), Responses.result(Received.BIND, 7));
      assertPasses(client, List.of(saslBind("X-THEIRS", "b")), Responses.saslStep(SUCCESS, "c"));
      assertBoundAndServedFromCache(client);
    }
  }

  /** Before a real directory: what it asks, and what it says of right and wrong answers. */
  @ParameterizedTest
  @ValueSource(strings = {People.PASSWORD, "wrong"})
  void loginAnswersEqualSlapds(String password) {
    try (Slapd slapd = Slapd.start(People.saslSlapd(2));
        RunningProxy before = ProxySetup.before(slapd.port()).start();
        RawLdapClient client = before.client();
        RawLdapClient direct = RawLdapClient.connect(slapd.address())) {
      List<RawRequest> talk = new ArrayList<>(login(password));
      talk.add(Requests.whoAmI());
      talk.add(Requests.search(People.dn(1)).baseScope().request());
      for (RawRequest request : talk) {
        assertThat(bodies(client.call(request))).isEqualTo(bodies(direct.call(request)));
      }
      assertThat(RawLdapClient.last(direct.call(Requests.whoAmI())).mentions(People.dn(1)))
          .isEqualTo(password.equals(People.PASSWORD));
    }
  }

  private static List<String> bodies(List<RawMessage> messages) {
    return messages.stream().map(message -> message.toString().replaceFirst("\\d+", "")).toList();
  }
}
