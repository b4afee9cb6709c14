// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
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
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The states of a password that slapd tells by the controls of Netscape, and by no control. */
class PasswordPolicyIT {
  private static final String POLICY = "cn=policy," + People.SUFFIX;
  private static final String RESET = "uid=reset," + People.PEOPLE;
  private static final String WARNED = "uid=warned," + People.PEOPLE;
  private static final String EXPIRED = "uid=expired," + People.PEOPLE;
  private static final String ASKING = "1.3.6.1.4.1.42.2.27.8.5.1";
  private static final String NETSCAPE_EXPIRED = "2.16.840.1.113730.3.4.4";
  private static final String NETSCAPE_EXPIRING = "2.16.840.1.113730.3.4.5";
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;
  private static final int READS = 5;
  private static final RawRequest READ =
      search(People.PEOPLE).filter("(uid=user.1)").attributes("uid", "mail").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Slapd slapd;
  private static RunningProxy proxy;

  @BeforeAll
  static void start() {
    slapd = Slapd.start(config());
    proxy = ProxySetup.before(slapd.port()).maxAge(Duration.ofHours(1)).start();
  }

  @AfterAll
  static void stop() {
    try {
      proxy.close();
    } finally {
      slapd.close();
    }
  }

  private static SlapdConfig config() {
    Ldif tree = People.tree(3);
    tree.entry(
        POLICY,
        "objectClass: person",
        "objectClass: pwdPolicy",
        "cn: policy",
        "sn: policy",
        "pwdAttribute: userPassword",
        "pwdMustChange: TRUE",
        "pwdMaxAge: 86400",
        "pwdExpireWarning: 86399",
        "pwdGraceAuthNLimit: 50");
    tree.entry(RESET, person("reset", "pwdReset: TRUE"));
    tree.entry(WARNED, person("warned", "pwdChangedTime: " + ago(Duration.ofHours(1))));
    tree.entry(EXPIRED, person("expired", "pwdChangedTime: " + ago(Duration.ofDays(30))));
    String lines =
        """
        access to attrs=userPassword by anonymous auth by self write by * none
        access to * by self write by * read
        overlay ppolicy
        ppolicy_default %s
        ppolicy_send_netscape_controls
        """;
    return SlapdConfig.stock()
        .module("ppolicy")
        .database(People.SUFFIX, lines.formatted(POLICY), tree);
  }

  private static String[] person(String uid, String state) {
    return Stream.of(
            "objectClass: inetOrgPerson",
            "uid: " + uid,
            "cn: " + uid,
            "sn: " + uid,
            "userPassword: " + People.PASSWORD,
            state)
        .toArray(String[]::new);
  }

  private static String ago(Duration time) {
    return DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
        .withZone(ZoneOffset.UTC)
        .format(Instant.now().minus(time));
  }

  /** The object identifiers of the controls, as the number of seconds left may differ. */
  private static List<String> controls(RawLdapClient client, RawRequest bind) {
    RawMessage answer = RawLdapClient.last(client.call(bind));
    assertThat(answer.resultCode()).isZero();
    return answer.decoded().getControls().stream().map(Control::getOID).toList();
  }

  private static List<String> controls(RawRequest bind) {
    try (RawLdapClient client = proxy.client();
        RawLdapClient direct = RawLdapClient.connect(slapd.address())) {
      List<String> told = controls(direct, bind);
      assertThat(controls(client, bind)).as("through Stoa").isEqualTo(told);
      return told;
    }
  }

  @Test
  void netscapeControlsAreSentByDefault() {
    assertThat(controls(Requests.bind(RESET, People.PASSWORD))).containsOnly(NETSCAPE_EXPIRED);
    assertThat(controls(Requests.bind(EXPIRED, People.PASSWORD))).containsOnly(NETSCAPE_EXPIRED);
    assertThat(controls(Requests.bind(WARNED, People.PASSWORD))).containsOnly(NETSCAPE_EXPIRING);
    assertThat(controls(Requests.bind(People.dn(1), People.PASSWORD))).isEmpty();
  }

  @Test
  void thePasswordPolicyControlIsSentIfRequested() {
    for (String dn : new String[] {RESET, WARNED, EXPIRED, People.dn(1)}) {
      RawRequest bind = Requests.bind(dn, People.PASSWORD).with(new Control(ASKING));
      assertThat(controls(bind)).containsOnly(ASKING);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClientThatMustChangeThePasswordIsServedNothing(boolean asks) {
    RawRequest bind = Requests.bind(RESET, People.PASSWORD);
    try (RawLdapClient other = proxy.client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient client = proxy.client()) {
      assertThat(other.code(READ)).isZero();
      assertThat(client.code(asks ? bind.with(new Control(ASKING)) : bind)).isZero();
      for (int i = 0; i < READS; i++) {
        assertThat(client.code(READ)).isEqualTo(INSUFFICIENT_ACCESS_RIGHTS);
      }
    }
  }

  /** Each bind of the client costs it one login, and Stoa takes none for itself. */
  @Test
  void rebindsUseNoGraceLogins() throws LDAPException {
    try (LDAPConnection direct = new LDAPConnection("127.0.0.1", slapd.port());
        RawLdapClient client = proxy.client()) {
      direct.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      int before = graceLogins(direct);
      client.bind(EXPIRED, People.PASSWORD);
      int[] ids = new int[READS];
      Arrays.setAll(ids, i -> client.send(READ));
      for (int id : ids) {
        assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
      }
      assertThat(graceLogins(direct)).isEqualTo(before + 1);
    }
  }

  private static int graceLogins(LDAPConnection direct) throws LDAPException {
    String[] times =
        direct.getEntry(EXPIRED, "pwdGraceUseTime").getAttributeValues("pwdGraceUseTime");
    return times == null ? 0 : times.length;
  }
}
