// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.SlapdConfig;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose password was reset is shown nothing before it is changed, whatever is in memory. */
class ResetPasswordIT {
  private static final String POLICY = "cn=policy," + People.SUFFIX;
  private static final String X = People.dn(1);
  private static final String CHANGED = "changed";
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;
  private static final RawRequest READ =
      search(People.PEOPLE).filter("(uid=user.3)").attributes("uid", "mail").request();
  private static final RawRequest BIND = Requests.bind(X, People.PASSWORD);
  private static final RawRequest ASKING =
      BIND.with(new Control("1.3.6.1.4.1.42.2.27.8.5.1"), new Control("1.2.3.4"));

  /** Also an account that acts for all of them is not held to what one of them is. */
  private static SlapdWithFeed start(boolean proxied) {
    SlapdWithFeedSetup all = setup();
    return (proxied ? all.global("authz-policy to").acting("dn.regex:^uid=.*$") : all).start();
  }

  private static SlapdWithFeedSetup setup() {
    return SlapdWithFeedSetup.of(5, Duration.ofMillis(100))
        .overlay("ppolicy\nppolicy_default " + POLICY)
        .entry(
            POLICY,
            "objectClass: person",
            "objectClass: pwdPolicy",
            "cn: policy",
            "sn: policy",
            "pwdAttribute: userPassword",
            "pwdMustChange: TRUE");
  }

  private static void reset(SlapdWithFeed people) {
    try (RawLdapClient root = RawLdapClient.connect(people.slapd().address())) {
      root.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      assertThat(root.code(Requests.replace(X, "pwdReset", "TRUE"))).isZero();
    }
  }

  /** The client has not asked in what state its password is, and is not told. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClientThatMustChangeItsPasswordGetsNoHits(boolean proxied) {
    try (SlapdWithFeed people = start(proxied);
        RawLdapClient before = people.proxy().client().bind(X, People.PASSWORD)) {
      people.awaitHeldByFeed("an answer", () -> before.code(READ));
      reset(people);
      try (RawLdapClient late = people.proxy().client().bind(X, People.PASSWORD)) {
        assertThat(late.code(READ)).isEqualTo(INSUFFICIENT_ACCESS_RIGHTS);
        people.awaitHeldByFeed(
            "the same", () -> before.code(READ)); // who has bound before is not held
        assertThat(late.code(READ)).isEqualTo(INSUFFICIENT_ACCESS_RIGHTS);
        assertThat(late.code(Requests.replace(X, "userPassword", CHANGED))).isZero();
      }
      try (RawLdapClient free = people.proxy().client().bind(X, CHANGED)) {
        assertThat(free.code(READ)).isZero();
        people.awaitHeldByFeed("its answer", () -> free.code(READ));
      }
    }
  }

  @Test
  void bindResponsesEqualTheDirectorys() {
    try (SlapdWithFeed people = start(false)) {
      bindsAreAnsweredAlike(people, BIND);
      bindsAreAnsweredAlike(people, ASKING);
      bindsAreAnsweredAlike(people, Requests.bind(X, "wrong"));
      reset(people);
      bindsAreAnsweredAlike(people, BIND);
      bindsAreAnsweredAlike(people, ASKING);
    }
  }

  private static void bindsAreAnsweredAlike(SlapdWithFeed people, RawRequest bind) {
    try (RawLdapClient client = people.proxy().client();
        RawLdapClient direct = RawLdapClient.connect(people.slapd().address())) {
      assertThat(client.call(bind)).isEqualTo(direct.call(bind));
    }
  }
}
