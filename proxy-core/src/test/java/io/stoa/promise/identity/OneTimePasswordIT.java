// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.unboundidds.OneTimePassword;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.SocketRelay;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Passwords that slapd takes once (overlay otp), behind one server and behind two. */
class OneTimePasswordIT {
  private static final String POLICY = "cn=policy," + People.SUFFIX;
  private static final String USER = "uid=once," + People.PEOPLE;
  private static final String SECRET = "12345678901234567890";
  private static final int SEARCHES = 100;
  private static final int LATER_LOGINS = 2;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private Slapd slapd;
  private int counter;

  @BeforeEach
  void start() {
    slapd = Slapd.start(config());
  }

  @AfterEach
  void stop() {
    slapd.close();
  }

  private static SlapdConfig config() {
    Ldif tree = People.tree(SEARCHES);
    tree.entry(
        POLICY,
        "objectClass: person",
        "objectClass: pwdPolicy",
        "cn: policy",
        "sn: policy",
        "pwdAttribute: userPassword",
        "pwdLockout: TRUE",
        "pwdMaxFailure: 50");
    tree.entry(
        "cn=params," + People.SUFFIX,
        "objectClass: device",
        "objectClass: oathHOTPParams",
        "cn: params",
        "oathOTPLength: 6",
        "oathHMACAlgorithm: 1.2.840.113549.2.7",
        "oathHOTPLookAhead: 5");
    tree.entry(
        "cn=token," + People.SUFFIX,
        "objectClass: device",
        "objectClass: oathHOTPToken",
        "cn: token",
        "oathHOTPParams: cn=params," + People.SUFFIX,
        "oathSecret: " + SECRET,
        "oathHOTPCounter: 0");
    tree.entry(
        USER,
        "objectClass: inetOrgPerson",
        "objectClass: oathHOTPUser",
        "uid: once",
        "cn: once",
        "sn: once",
        "oathHOTPToken: cn=token," + People.SUFFIX,
        "userPassword: " + People.PASSWORD);
    String lines =
        """
        access to attrs=userPassword by anonymous auth by self write by * none
        access to attrs=oathSecret by * none
        access to * by self write by * read
        overlay ppolicy
        ppolicy_default %s
        overlay otp
        """;
    return SlapdConfig.stock()
        .module("ppolicy")
        .module("otp")
        .database(People.SUFFIX, lines.formatted(POLICY), tree);
  }

  /** The password with the next code behind it. */
  private String password() {
    try {
      return People.PASSWORD
          + OneTimePassword.hotp(SECRET.getBytes(StandardCharsets.US_ASCII), ++counter, 6);
    } catch (LDAPException e) {
      throw new AssertionError("no code", e);
    }
  }

  private int failures() throws LDAPException {
    try (LDAPConnection direct = new LDAPConnection("127.0.0.1", slapd.port())) {
      direct.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      SearchResultEntry entry = direct.getEntry(USER, "pwdFailureTime");
      String[] times = entry.getAttributeValues("pwdFailureTime");
      return times == null ? 0 : times.length;
    }
  }

  private static RawRequest read(int person) {
    return search(People.PEOPLE).filter("(uid=user." + person + ")").attributes("cn").request();
  }

  /** Binds, and searches many times at once: how many of these succeed. */
  private long searches(RunningProxy proxy) {
    try (RawLdapClient client = proxy.client().bind(USER, password())) {
      int[] ids = IntStream.range(0, SEARCHES).map(i -> client.send(read(i))).toArray();
      return Arrays.stream(ids)
          .filter(id -> RawLdapClient.last(client.await(id)).resultCode() == 0)
          .count();
    }
  }

  @Test
  void aDirectBindFailsNoAttempt() throws LDAPException {
    try (RawLdapClient client = RawLdapClient.connect(slapd.address()).bind(USER, password())) {
      assertThat(client.code(read(1))).isZero();
    }
    assertThat(failures()).isZero();
  }

  /** The first login costs one failed attempt, the later ones none. */
  @Test
  void aClientIsServedAtItsServerBehindOneServer() throws LDAPException {
    try (RunningProxy proxy =
        ProxySetup.before(slapd.port()).upstream("maxInFlightPerConnection", 8).start()) {
      assertThat(searches(proxy)).isEqualTo(SEARCHES);
      assertThat(failures()).isLessThanOrEqualTo(1);
      for (int i = 0; i < LATER_LOGINS; i++) {
        assertThat(searches(proxy)).isEqualTo(SEARCHES);
        assertThat(failures()).isZero();
      }
    }
  }

  /** The first login costs one failed attempt at both servers together, the later ones none. */
  @Test
  void aClientIsServedAtItsServerBehindTwoServers() throws LDAPException {
    try (SocketRelay second =
            SocketRelay.to(
                Path.of(slapd.ldapiUrl().substring("ldapi://".length()).replace("%2F", "/")));
        RunningProxy proxy = ProxySetup.before(slapd.port(), second.address().getPort()).start()) {
      assertThat(searches(proxy)).isEqualTo(SEARCHES);
      assertThat(failures()).isLessThanOrEqualTo(1);
      for (int i = 0; i < LATER_LOGINS; i++) {
        assertThat(searches(proxy)).isEqualTo(SEARCHES);
        assertThat(failures()).isZero();
      }
    }
  }
}
