// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A password was changed while many clients are connected that have bound with the old one, and
 * their connections are lost: directories lock an account on which a few attempts have failed.
 */
class ChangedPasswordIT {
  private static final String X = People.dn(1);
  private static final String OLD = "the-old-password";
  private static final String NEW = "the-new-password";
  private static final int CLIENTS = 20;
  private static final int UNAVAILABLE = 52;
  private static final int INVALID_CREDENTIALS = 49;
  private static final RawRequest READ = search(X).baseScope().request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private RunningProxy proxy;
  private final List<RawLdapClient> clients = new ArrayList<>();

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    proxy = ProxySetup.before(upstream.port()).cachesOff().start();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(proxy.client().bind(X, OLD));
    }
  }

  @AfterEach
  void stop() {
    clients.forEach(RawLdapClient::close);
    try {
      proxy.close();
    } finally {
      upstream.close();
    }
  }

  /** From now on the old password is wrong, and no connection is left. */
  private void change() {
    upstream.when(ChangedPasswordIT::isOldBind, Answers.result(INVALID_CREDENTIALS));
    upstream.dropConnections();
    Await.until("no connection is left", () -> proxy.status().backends().get(0).connections() == 0);
  }

  private static boolean isOldBind(Received request) {
    return request.is(Received.BIND) && request.message().mentions(OLD);
  }

  private int attempts() {
    return upstream.received(ChangedPasswordIT::isOldBind).size() - CLIENTS;
  }

  private void assertAllAreDisconnected() {
    for (RawLdapClient client : clients) {
      List<RawMessage> told = client.drain();
      assertThat(told).hasSize(1);
      assertThat(told.get(0).messageId()).isZero();
      assertThat(told.get(0).resultCode()).isEqualTo(UNAVAILABLE);
    }
  }

  @Test
  void oneOperationOfAnOldClientCostsOneAttempt() {
    change();
    clients.get(0).send(READ);
    assertAllAreDisconnected();
    assertThat(attempts()).isEqualTo(1);
  }

  /** They are on all event loops. */
  @Test
  void operationsOfAllOldClientsCostOneAttempt() {
    change();
    Held attempt = upstream.hold(ChangedPasswordIT::isOldBind);
    clients.forEach(client -> client.send(READ));
    attempt.awaitArrival();
    attempt.answer(Answers.result(INVALID_CREDENTIALS));
    assertAllAreDisconnected();
    assertThat(attempts()).isEqualTo(1);
  }

  @Test
  void clientsWithTheNewPasswordAreServed() {
    try (RawLdapClient newer = proxy.client().bind(X, NEW);
        RawLdapClient newest = proxy.client().bind(X, NEW)) {
      change();
      clients.get(0).send(READ);
      clients.get(1).send(READ);
      assertThat(newer.code(READ)).isZero();
      assertThat(newest.code(READ)).isZero();
      assertThat(attempts()).isLessThanOrEqualTo(1);
    }
  }

  /** What an operation that waits could cost, falls on its own client. */
  @Test
  void aRebindUsesTheCredentialsOfTheWaitingClient() {
    try (RawLdapClient newer = proxy.client().bind(X, NEW);
        RawLdapClient newest = proxy.client().bind(X, NEW)) {
      change();
      assertThat(newer.code(READ)).isZero();
      assertThat(newest.code(READ)).isZero();
      assertThat(attempts()).isZero();
    }
  }
}
