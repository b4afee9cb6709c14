// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
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
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whether a password is right is the directory's to say, each time, however much is cached. */
class PasswordIT {
  private static final int INVALID_CREDENTIALS = 49;
  private static final int UNWILLING = 53;
  private static final RawRequest WHO_AM_I = Requests.extended("1.3.6.1.4.1.4203.1.11.3");
  private static final RawRequest READ_SECRET =
      search(People.dn(1)).baseScope().attributes("description").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private Slapd slapd;
  private RunningProxy proxy;

  private void start(SlapdConfig config) {
    slapd = Slapd.start(config);
    proxy = ProxySetup.before(slapd.port()).maxAge(Duration.ofHours(1)).start();
  }

  @AfterEach
  void stop() {
    try {
      proxy.close();
    } finally {
      slapd.close();
    }
  }

  private int login(int person, String password) {
    try (RawLdapClient client = proxy.client()) {
      return client.code(Requests.bind(People.dn(person), password));
    }
  }

  @Test
  void anOldPasswordIsRefusedAtOnce() {
    start(People.slapd(3));
    try (RawLdapClient present = proxy.client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient root = proxy.client().bind(People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      present.call(READ_SECRET);
      assertThat(root.code(Requests.replace(People.dn(1), "userPassword", "second"))).isZero();
      assertThat(login(1, People.PASSWORD)).isEqualTo(INVALID_CREDENTIALS);
      assertThat(login(1, "second")).isZero();
    }
  }

  @Test
  void anOldPasswordThatWasChangedBehindStoaIsRefusedAtOnce() throws LDAPException {
    start(People.slapd(3));
    try (RawLdapClient present = proxy.client().bind(People.dn(1), People.PASSWORD);
        LDAPConnection direct = new LDAPConnection("127.0.0.1", slapd.port())) {
      present.call(READ_SECRET);
      direct.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      direct.modify(
          People.dn(1), new Modification(ModificationType.REPLACE, "userPassword", "second"));
      assertThat(login(1, People.PASSWORD)).isEqualTo(INVALID_CREDENTIALS);
      assertThat(login(1, "second")).isZero();
    }
  }

  @Test
  void aFailedBindNeverBeatsTheRightPassword() {
    start(People.slapd(3));
    for (int i = 0; i < 10; i++) {
      assertThat(login(1, "wrong")).isEqualTo(INVALID_CREDENTIALS);
      assertThat(login(1, People.PASSWORD)).isZero();
    }
    Await.until("binds at the directory", () -> slapd.completed("Bind") >= 20);
  }

  @Test
  void anEmptyPasswordIsRefusedAsByTheDirectory() {
    start(People.slapd(3));
    assertAnonymousAfterEmptyPassword(UNWILLING);
  }

  /** Some directories let it pass, as anonymous (RFC 4513, section 5.1.2). */
  @Test
  void anAcceptedEmptyPasswordIsAnonymous() {
    start(People.slapd(3).global("allow bind_anon_dn"));
    assertAnonymousAfterEmptyPassword(0);
  }

  private void assertAnonymousAfterEmptyPassword(int code) {
    try (RawLdapClient owner = proxy.client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient client = proxy.client().bind(People.dn(1), People.PASSWORD)) {
      assertThat(mentionsSecret(owner.call(READ_SECRET))).isTrue();
      assertThat(mentionsSecret(client.call(READ_SECRET))).isTrue();
      assertThat(client.code(Requests.bind(People.dn(1), ""))).isEqualTo(code);
      assertThat(RawLdapClient.last(client.call(WHO_AM_I)).mentions("uid=")).isFalse();
      assertThat(mentionsSecret(client.call(READ_SECRET))).isFalse();
    }
  }

  /** The description of each person is their own name, and nobody else may read it. */
  private static boolean mentionsSecret(List<RawMessage> answer) {
    return answer.stream().anyMatch(message -> message.mentions("description"));
  }
}
