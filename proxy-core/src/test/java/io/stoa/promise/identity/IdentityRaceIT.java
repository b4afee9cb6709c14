// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Tlv;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A client leaves, or becomes somebody else, while a connection is opened because of what it asked:
 * the connection acts as the identity it was opened for and as nobody else.
 */
class IdentityRaceIT {
  private static final int ROUNDS = 30;
  private static final int QUESTIONS = 5;
  private static final int MORE_THAN_ONE_CONNECTION = 65;
  private static final String X = People.dn(1);
  private static final String Y = People.dn(2);
  private static final RawRequest WHO_AM_I = Requests.extended("1.3.6.1.4.1.4203.1.11.3");
  private static final byte[] UNBIND = Requests.unbind().encode(999);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private RunningProxy proxy(int maxOutstanding) {
    return ProxySetup.before(upstream.port())
        .cachesOff()
        .upstream("maxInFlightPerConnection", maxOutstanding)
        .start();
  }

  @Test
  void aPendingConnectionOfALeavingClientKeepsItsIdentity() {
    try (RunningProxy proxy = proxy(64)) {
      for (int round = 0; round < ROUNDS; round++) {
        try (RawLdapClient leaving = bound(proxy, X);
            RawLdapClient other = proxy.client();
            RawLdapClient another = proxy.client()) {
          loseConnections(proxy);
          leaving.sendOctets(Tlv.concat(find(1), UNBIND));
          assertIs(X, other.bind(X, People.PASSWORD));
          assertIs(X, another.bind(X, People.PASSWORD));
          leaving.drain();
        }
      }
    }
  }

  private void loseConnections(RunningProxy proxy) {
    upstream.dropConnections();
    Await.until("no connection is left", () -> connections(proxy) == 0);
  }

  private static int connections(RunningProxy proxy) {
    return proxy.status().backends().get(0).connections();
  }

  @Test
  void otherClientsKeepTheirIdentityWhenOneLeaves() {
    try (RunningProxy proxy = proxy(64);
        RawLdapClient one = bound(proxy, X);
        RawLdapClient other = bound(proxy, X)) {
      for (int round = 0; round < ROUNDS; round++) {
        try (RawLdapClient leaving = bound(proxy, X)) {
          leaving.sendOctets(Tlv.concat(finds(MORE_THAN_ONE_CONNECTION), UNBIND));
          assertIs(X, one);
          assertIs(X, other);
          leaving.drain();
        }
        assertIs(X, one);
        assertIs(X, other);
      }
    }
  }

  @Test
  void otherClientsKeepTheirIdentityWhenOneRebinds() {
    try (RunningProxy proxy = proxy(1);
        RawLdapClient same = bound(proxy, X);
        RawLdapClient anonymous = proxy.client()) {
      for (int round = 0; round < ROUNDS; round++) {
        try (RawLdapClient client = bound(proxy, X)) {
          client.sendOctets(
              Tlv.concat(
                  find(101),
                  find(102),
                  Requests.abandon(101).encode(103),
                  Requests.abandon(102).encode(104),
                  Requests.bind(Y, People.PASSWORD).encode(105)));
          assertIs(X, same);
          assertIs("", anonymous);
          client.await(105);
          assertIs(Y, client);
          assertIs(X, same);
          assertIs("", anonymous);
        }
      }
    }
  }

  private static RawLdapClient bound(RunningProxy proxy, String dn) {
    return proxy.client().bind(dn, People.PASSWORD);
  }

  private static void assertIs(String dn, RawLdapClient client) {
    for (int i = 0; i < QUESTIONS; i++) {
      byte[] answer = RawLdapClient.last(client.call(WHO_AM_I)).octets();
      assertThat(new String(answer, StandardCharsets.UTF_8)).endsWith("dn:" + dn);
    }
  }

  private static byte[] find(int messageId) {
    return search("uid=find" + messageId + "," + People.SUFFIX).request().encode(messageId);
  }

  private static byte[] finds(int count) {
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    for (int i = 1; i <= count; i++) {
      octets.writeBytes(find(100 + i));
    }
    return octets.toByteArray();
  }
}
