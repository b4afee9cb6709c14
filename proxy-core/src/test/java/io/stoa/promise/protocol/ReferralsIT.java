// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.add;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.rename;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.client.rootdse.AdaptConfig.Referrals;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.Balancing;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Writes to a read-only replica, and references in results, before real slapds. */
class ReferralsIT {
  private static final int REFERRAL = 10;
  private static final int COMPARE_TRUE = 6;
  private static final String SUFFIX = People.SUFFIX;
  private static final String ADMIN = SlapdConfig.ROOT_RDN + "," + SUFFIX;
  private static final String ELSEWHERE = "ou=elsewhere," + SUFFIX;
  private static final RawRequest SUBTREE = search(SUFFIX).filter("(objectClass=*)").request();

  /** So that clients bind with the first server. */
  private static final BalanceConfig IN_ORDER =
      Records.with(BalanceConfig.DEFAULTS, "strategies", List.of(Balancing.FAILOVER));

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Slapd provider;
  private static Slapd consumer;

  @BeforeAll
  static void startSlapds() {
    Ldif ldif = new Ldif();
    ldif.entry(SUFFIX, "objectClass: domain", "dc: example");
    ldif.entry(
        ELSEWHERE,
        "objectClass: referral",
        "objectClass: extensibleObject",
        "ou: elsewhere",
        "ref: ldap://elsewhere.example.com/" + ELSEWHERE);
    provider =
        Slapd.start(
            SlapdConfig.stock()
                .module("syncprov")
                .database(SUFFIX, "index entryUUID,entryCSN eq\noverlay syncprov", ldif));
    consumer = Slapd.start(SlapdConfig.stock().database(SUFFIX, replica(), new Ldif()));
    Await.until("the replica has the suffix", () -> code(consumer, SUBTREE) == 0);
  }

  private static String replica() {
    return """
    index entryUUID,entryCSN eq
    syncrepl rid=1 provider=%s type=refreshAndPersist searchbase="%s" bindmethod=simple \
    binddn="%s" credentials=%s retry="1 +"
    updateref %s
    """
        .formatted(provider.url(), SUFFIX, ADMIN, SlapdConfig.ROOT_PASSWORD, provider.url());
  }

  private static int code(Slapd slapd, RawRequest request) {
    try (RawLdapClient client = RawLdapClient.connect(slapd.address())) {
      return client.bind(ADMIN, SlapdConfig.ROOT_PASSWORD).code(request);
    }
  }

  @AfterAll
  static void stopSlapds() {
    consumer.close();
    provider.close();
  }

  private static RunningProxy start(Referrals referrals, int... ports) {
    return ProxySetup.before(ports).adapt("referrals", referrals).start().awaitUp();
  }

  private static RunningProxy following() {
    return start(Referrals.FOLLOW, consumer.port(), provider.port());
  }

  private static RawLdapClient admin(RunningProxy proxy) {
    return proxy.client().bind(ADMIN, SlapdConfig.ROOT_PASSWORD);
  }

  private static RawRequest person(String name) {
    return add(dn(name), "objectClass: account", "uid: " + name);
  }

  private static String dn(String name) {
    return "uid=" + name + "," + SUFFIX;
  }

  @Test
  void referralsArePassedUnlessTheyAreChased() {
    try (RunningProxy proxy = start(Referrals.PASS, consumer.port(), provider.port());
        RawLdapClient client = admin(proxy);
        RawLdapClient straight = RawLdapClient.connect(consumer.address())) {
      straight.bind(ADMIN, SlapdConfig.ROOT_PASSWORD);
      RawMessage answer = RawLdapClient.last(client.call(person("passed")));
      assertThat(answer.resultCode()).isEqualTo(REFERRAL);
      assertThat(answer.body())
          .isEqualTo(RawLdapClient.last(straight.call(person("passed"))).body());
    }
  }

  @Test
  void everyKindOfWriteIsChasedToThePrimary() {
    String name = dn("followed");
    try (RunningProxy proxy = following();
        RawLdapClient client = admin(proxy)) {
      assertThat(client.code(person("followed"))).isZero();
      assertThat(client.code(replace(name, "description", "written"))).isZero();
      assertThat(code(provider, compare(name, "description", "written"))).isEqualTo(COMPARE_TRUE);
      assertThat(client.code(rename(name, "uid=renamed", true))).isZero();
      assertThat(client.code(delete(dn("renamed")))).isZero();
      assertThat(client.code(delete(dn("renamed")))).as("the provider's answer").isEqualTo(32);
    }
  }

  @Test
  void aPasswordModifyIsChasedToThePrimary() {
    String name = dn("password");
    PasswordModifyExtendedRequest change = new PasswordModifyExtendedRequest(name, null, "new");
    try (RunningProxy proxy = following();
        RawLdapClient client = admin(proxy)) {
      client.call(
          add(
              name,
              "objectClass: account",
              "objectClass: simpleSecurityObject",
              "uid: password",
              "userPassword: old"));
      RawRequest request = Requests.extended(change.getOID(), change.getValue().getValue());
      assertThat(client.code(request)).isZero();
      assertThat(code(provider, Requests.bind(name, "new"))).isZero();
    }
  }

  @Test
  void ownWritesAreSeenAtOnce() {
    RawRequest find = search(SUFFIX).filter("(uid=seen)").request();
    try (RunningProxy proxy = following();
        RawLdapClient client = admin(proxy)) {
      assertThat(entries(client.call(find))).isZero();
      assertThat(client.code(person("seen"))).isZero();
      assertThat(entries(client.call(find))).isEqualTo(1);
      assertThat(client.code(delete(dn("seen")))).isZero();
      assertThat(entries(client.call(find))).isZero();
    }
  }

  private static long entries(List<RawMessage> answer) {
    return answer.stream().filter(message -> message.opTag() == RawMessage.SEARCH_ENTRY).count();
  }

  private static boolean isReference(RawMessage message) {
    return message.opTag() == RawMessage.SEARCH_REFERENCE;
  }

  @Test
  void referralsToUnconfiguredServersAreNotChased() {
    long before = provider.totalConnections();
    try (RunningProxy proxy = start(Referrals.FOLLOW, consumer.port());
        RawLdapClient client = admin(proxy)) {
      assertThat(client.code(person("nowhere"))).isEqualTo(REFERRAL);
      assertThat(provider.totalConnections() - before)
          .as("connections for the search")
          .isEqualTo(1);
    }
  }

  /** One that has bound by SASL, or whose password was not kept, cannot be bound elsewhere. */
  @Test
  void referralsArePassedIfTheClientCannotBeBoundElsewhere() {
    RawRequest write = replace(dn("anna"), "description", "written");
    try (ScriptedUpstream replica = ScriptedUpstream.start();
        ScriptedUpstream primary = ScriptedUpstream.start();
        RunningProxy proxy = referring(replica, primary, true);
        RunningProxy forgetful = referring(replica, primary, false);
        RawLdapClient sasl = proxy.client();
        RawLdapClient simple = forgetful.client()) {
      assertThat(sasl.code(Requests.saslBind("X-TEST", "token"))).isZero();
      simple.bind(dn("anna"), "password");
      for (RawLdapClient client : List.of(sasl, simple)) {
        assertThat(client.code(write)).isEqualTo(REFERRAL);
        assertThat(client.code(SUBTREE)).as("still served").isZero();
      }
      assertThat(primary.received(request -> request.is(Received.MODIFY))).isEmpty();
    }
  }

  private static RunningProxy referring(
      ScriptedUpstream replica, ScriptedUpstream primary, boolean keepPasswords) {
    RawRequest referral = Responses.referral("ldap://127.0.0.1:" + primary.port());
    replica.when(
        request -> request.is(Received.MODIFY),
        (request, link) -> link.send(request.messageId(), referral));
    return ProxySetup.before(replica.port(), primary.port())
        .adapt("referrals", Referrals.FOLLOW)
        .upstream("keepPasswords", keepPasswords)
        .upstream("balance", IN_ORDER)
        .replay("bindAffinity", false)
        .start()
        .awaitUp();
  }

  /** It would be another write there, and it would be taken for one that the second has done. */
  @Test
  void aChasedWriteIsRetriedOnlyAtItsReferralTarget() {
    RawRequest write = replace(dn("anna"), "description", "written");
    try (ScriptedUpstream replica = ScriptedUpstream.start();
        ScriptedUpstream primary = ScriptedUpstream.start();
        RunningProxy proxy = referring(replica, primary, true);
        RawLdapClient client = proxy.client()) {
      Held bind = primary.hold(request -> request.is(Received.BIND));
      client.bind(dn("anna"), "password");
      final int id = client.send(write);
      bind.answer(Answers.close());
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
      assertThat(replica.received(request -> request.is(Received.MODIFY))).hasSize(1);
      assertThat(primary.received(request -> request.is(Received.MODIFY))).hasSize(1);
    }
  }

  @Test
  void referralsAreNotChasedWithManageDsaIt() {
    try (RunningProxy proxy = following();
        RawLdapClient client = admin(proxy)) {
      RawRequest write = person("managed").with(new ManageDsaITRequestControl(true));
      assertThat(client.code(write)).isEqualTo(REFERRAL);
    }
  }

  @Test
  void referencesAreHiddenAndTheRestIsCached() {
    // without the passwords that other tests add, since a result with one is not stored
    RawRequest names = search(SUFFIX).filter("(objectClass=*)").attributes("cn").request();
    try (RunningProxy proxy = start(Referrals.HIDE, provider.port());
        RunningProxy plain = start(Referrals.PASS, provider.port());
        RawLdapClient client = admin(proxy);
        RawLdapClient other = admin(plain)) {
      List<RawMessage> all = other.call(names);
      assertThat(all).anyMatch(ReferralsIT::isReference);
      List<byte[]> rest =
          all.stream().filter(message -> !isReference(message)).map(RawMessage::body).toList();
      for (int round = 0; round < 2; round++) {
        assertThat(client.call(names).stream().map(RawMessage::body))
            .usingElementComparator(Arrays::compare)
            .containsExactlyElementsOf(rest);
      }
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
      int code = client.code(search("ou=x," + ELSEWHERE).baseScope().request());
      assertThat(code).as("a referral is no reference").isEqualTo(REFERRAL);
    }
  }
}
