// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Requests that arrive before the first probe of a directory server has ended. */
class FirstRequestsIT {
  private static final RawRequest FIND =
      search("ou=people,dc=example,dc=com").filter("(uid=anna)").request();
  private static final RawRequest CHANGE =
      Requests.replace("uid=anna,dc=example,dc=com", "sn", "x");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream first;
  private ScriptedUpstream second;

  @BeforeEach
  void start() {
    first = ScriptedUpstream.start();
    second = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    first.close();
    second.close();
  }

  /** A probe that is held may wait for as long as the machine pauses. */
  private RunningProxy before(int... ports) {
    return ProxySetup.before(ports)
        .upstream("connectTimeout", Duration.ofSeconds(30))
        .startWithoutUpstream();
  }

  @Test
  void firstRequestsWaitForTheFirstProbe() {
    Held probe = first.hold(request -> request.isSearchFor("1.1"));
    try (RunningProxy proxy = before(first.port());
        RawLdapClient client = proxy.client();
        RawLdapClient anonymous = proxy.client()) {
      probe.awaitArrival();
      int bind = client.send(Requests.bind("uid=anna,dc=example,dc=com", "secret"));
      int find = anonymous.send(FIND);
      int change = anonymous.send(CHANGE);
      try (RawLdapClient another = proxy.client()) {
        assertThat(another.code(Requests.bind("", ""))).isZero();
      }
      probe.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(bind)).resultCode()).isZero();
      assertThat(RawLdapClient.last(anonymous.await(find)).resultCode()).isZero();
      assertThat(RawLdapClient.last(anonymous.await(change)).resultCode()).isZero();
    }
  }

  @Test
  void firstRequestsAreRefusedIfAllServersAreDown() {
    first.goDown();
    try (RunningProxy proxy = before(first.port());
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(FIND)).isEqualTo(52);
    }
  }

  @Test
  void aReadGoesToTheServerThatIsUpAndAWriteWaitsForThePrimary() {
    Held probe = first.hold(request -> request.isSearchFor("1.1"));
    try (RunningProxy proxy = before(first.port(), second.port());
        RawLdapClient reader = proxy.client();
        RawLdapClient writer = proxy.client()) {
      probe.awaitArrival();
      int change = writer.send(CHANGE);
      assertThat(reader.code(FIND)).isZero();
      assertThat(second.received(request -> request.isSearchFor("anna"))).hasSize(1);
      assertThat(second.received(request -> request.is(Received.MODIFY))).isEmpty();
      probe.answer(Answers.success());
      assertThat(RawLdapClient.last(writer.await(change)).resultCode()).isZero();
      assertThat(first.received(request -> request.is(Received.MODIFY))).hasSize(1);
    }
  }
}
