// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.Tlv;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Clients that bind again and again, with requests before and after in the same segment: the
 * directory always takes them for who they are.
 */
class RebindIT {
  private static final int PEOPLE = 40;
  private static final int CLIENTS = 32;
  private static final int ROUNDS = 100;
  private static final String START_TRANSACTION = "1.3.6.1.1.21.1";
  private static final RawRequest SECRETS =
      search(People.PEOPLE).filter("(description=*)").attributes("description").request();
  private static final RawRequest WHO_AM_I = Requests.extended("1.3.6.1.4.1.4203.1.11.3");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @Test
  void eachClientHasItsOwnIdentity() {
    try (Slapd slapd = Slapd.start(People.slapd(PEOPLE));
        RunningProxy proxy = ProxySetup.before(slapd.port()).start()) {
      Parallel.run(
          CLIENTS,
          Duration.ofMinutes(3),
          number -> {
            Random random = new Random(number);
            try (RawLdapClient client = proxy.client()) {
              for (int round = 0; round < ROUNDS; round++) {
                rebind(client, random.nextInt(PEOPLE), random.nextInt(3) > 0);
              }
            }
          });
    }
  }

  /** In a transaction a client has a connection alone, and no cache. */
  @Test
  void aRebindResetsTheSessionState() {
    try (Slapd slapd = Slapd.start(People.slapd(2));
        RunningProxy proxy = ProxySetup.before(slapd.port()).maxAge(Duration.ofHours(1)).start();
        RawLdapClient client = proxy.client().bind(People.dn(1), People.PASSWORD)) {
      assertThat(client.code(Requests.extended(START_TRANSACTION))).isZero();
      assertThat(hitsOfTwoSearches(proxy, client)).isZero();
      client.bind(People.dn(1), People.PASSWORD);
      assertThat(hitsOfTwoSearches(proxy, client)).isEqualTo(1);
    }
  }

  private static long hitsOfTwoSearches(RunningProxy proxy, RawLdapClient client) {
    long before = proxy.cache().filterHits();
    assertThat(client.code(People.find(1))).isZero();
    assertThat(client.code(People.find(1))).isZero();
    return proxy.cache().filterHits() - before;
  }

  /** Nobody sees the description of another, and who is nobody sees none. */
  private static void assertOwnSecretOnly(List<RawMessage> answer, int person, boolean somebody) {
    assertThat(answer).hasSize(somebody ? 2 : 1);
    assertThat(RawLdapClient.last(answer).resultCode()).isZero();
    if (somebody) {
      assertThat(answer.get(0).mentions(People.dn(person))).isTrue();
    }
  }

  private static void rebind(RawLdapClient client, int person, boolean rightPassword) {
    String password = rightPassword ? People.PASSWORD : "wrong";
    client.sendOctets(
        Tlv.concat(
            SECRETS.encode(1),
            WHO_AM_I.encode(2),
            Requests.bind(People.dn(person), password).encode(3),
            WHO_AM_I.encode(4),
            SECRETS.encode(5)));
    assertThat(RawLdapClient.last(client.await(3)).resultCode()).isEqualTo(rightPassword ? 0 : 49);
    boolean somebody = RawLdapClient.last(client.await(4)).mentions(People.dn(person));
    assertThat(somebody).isEqualTo(rightPassword);
    assertOwnSecretOnly(client.await(5), person, rightPassword);
    client.take(1);
    client.take(2);
  }
}
