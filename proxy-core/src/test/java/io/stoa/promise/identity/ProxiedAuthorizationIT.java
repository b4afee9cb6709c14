// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV1RequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.ldap.protocol.Oids;
import io.stoa.proxy.Extensions;
import io.stoa.proxy.Proxy;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.Tlv;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Proxied-authorization mode: which request goes over which kind of connection, and in whose name.
 */
class ProxiedAuthorizationIT {
  private static final String X = People.dn(1);
  private static final String Y = People.dn(2);
  private static final String CANCEL = "1.3.6.1.1.8";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final String PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1";
  private static final int AUTHORIZATION_DENIED = 123;
  private static final int UNWILLING = 53;
  private static final int UNAVAILABLE = 52;
  private static final int CANNOT_CANCEL = 121;
  private static final int CANCELED = 118;
  private static final int MANY = 2000;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir Path directory;

  private ScriptedUpstream upstream;
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    upstream = ServiceWatch.upstream();
    proxy = setup().start();
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port())
        .upstream("identity", ServiceWatch.identity(directory));
  }

  @AfterEach
  void stop() {
    try {
      proxy.close();
    } finally {
      upstream.close();
    }
    assertThat(ServiceWatch.violations(upstream, ProxiedAuthorizationIT::clientOf)).isEmpty();
  }

  private void restart(ProxySetup setup) {
    proxy.close();
    proxy = setup.start();
  }

  private static RawRequest read(String dn) {
    return search(dn).baseScope().request();
  }

  /** Everybody asks for themselves in these tests. */
  private static String clientOf(Received request) {
    return request.message().mentions(X) ? X : Y;
  }

  private Received last(String text) {
    List<Received> found = upstream.received(request -> request.message().mentions(text));
    return found.get(found.size() - 1);
  }

  @Test
  void requestsOfAllClientsShareTheServiceAccountsConnection() {
    try (RawLdapClient x = proxy.client().bind(X, "secret");
        RawLdapClient y = proxy.client().bind(Y, "secret")) {
      assertThat(x.code(read(X))).isZero();
      assertThat(y.code(read(Y))).isZero();
      assertThat(x.code(Requests.compare(X, "cn", "me"))).isEqualTo(6);
      assertThat(x.code(Requests.add("cn=a," + X, "objectClass: top"))).isZero();
      assertThat(x.code(Requests.replace("cn=b," + X, "sn", "new"))).isZero();
      assertThat(x.code(Requests.rename("cn=c," + X, "cn=new", true))).isZero();
      assertThat(x.code(Requests.delete("cn=d," + X))).isZero();
    }
    assertThat(ServiceWatch.received(upstream)).hasSize(7);
  }

  /** A right to proxy that is given for a suffix is none for the root DSE and the schema. */
  @Test
  void entriesOutsideNamingContextsAreReadAsTheClient() {
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      assertThat(x.code(search("").baseScope().request())).isZero();
      assertThat(x.code(search("cn=elsewhere").baseScope().request())).isZero();
    }
    assertThat(ServiceWatch.received(upstream)).isEmpty();
  }

  @Test
  void theClientsOwnControlsStayAsTheyAreAndInOrder() {
    Control manageDsaIt = new Control("2.16.840.1.113730.3.4.2", true);
    Control sort = new Control("1.2.840.113556.1.4.473", false, new ASN1OctetString("as it came"));
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      assertThat(x.code(read(X).with(sort, manageDsaIt))).isZero();
    }
    List<Control> seen = last(X).message().decoded().getControls();
    assertThat(seen.stream().map(Control::getOID))
        .containsExactly(ServiceWatch.OID, sort.getOID(), manageDsaIt.getOID());
    assertThat(seen.subList(1, 3)).containsExactly(sort, manageDsaIt);
  }

  @Test
  void anonymousClientsUseUnboundConnections() {
    try (RawLdapClient nobody = proxy.client()) {
      nobody.code(read(X));
      nobody.code(Requests.anonymousBind());
      nobody.code(read(Y));
    }
    assertThat(last(X).identity()).isEmpty();
    assertThat(last(Y).identity()).isEmpty();
    assertThat(last(Y).message().decoded().getControls()).isEmpty();
  }

  @Test
  void aClientsOwnProxiedAuthorizationUsesItsOwnConnection() {
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      x.code(read(Y).with(new ProxiedAuthorizationV2RequestControl("dn:" + Y)));
      assertThat(last(Y).identity()).isEqualTo(X);
      x.code(read(Y).with(new ProxiedAuthorizationV1RequestControl(Y)));
      assertThat(last(Y).identity()).isEqualTo(X);
    }
  }

  @Test
  void proxiedAuthorizationIsDeniedWithoutAStoredPassword() {
    restart(setup().upstream("keepPasswords", false));
    int before = upstream.received().size();
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      for (Control control :
          List.of(
              new ProxiedAuthorizationV2RequestControl("dn:" + Y),
              new ProxiedAuthorizationV1RequestControl(Y))) {
        assertThat(x.code(read(X).with(control))).isEqualTo(AUTHORIZATION_DENIED);
      }
      assertThat(x.code(read(X).with(new Control("1.2.3.4", true)))).isEqualTo(UNWILLING);
      assertThat(x.code(read(X).with(new Control(ServiceWatch.OID + "\0", true))))
          .isEqualTo(UNWILLING);
      assertThat(x.code(Requests.extended("1.2.3.4.5"))).isEqualTo(UNWILLING);
      assertThat(x.code(Requests.extended(PASSWORD_MODIFY))).isEqualTo(UNWILLING);
      assertThat(upstream.received()).hasSize(before + 1);
      assertThat(x.code(read(X).with(new SimplePagedResultsControl(10)))).isZero();
      assertThat(last(X).identity()).isEqualTo(ServiceWatch.DN);
      assertThat(x.code(read(X))).isZero();
    }
  }

  @Test
  void unsupportedRequestsUseTheClientsOwnConnection() {
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      x.code(Requests.extended(PASSWORD_MODIFY));
      x.code(read(X).with(new Control("1.2.3.4", false)));
      x.code(read(X).with(new SimplePagedResultsControl(10)));
      x.code(Requests.extended("1.2.3.4.5", X.getBytes(StandardCharsets.UTF_8)));
      x.code(read(X));
    }
    assertThat(
            upstream.received(request -> request.message().mentions(X)).stream()
                .filter(request -> !request.is(Received.BIND))
                .map(Received::identity))
        .hasSize(4)
        .containsOnly(X);
  }

  @Test
  void theServiceAccountNeverActsForExcludedIdentities() {
    try (RawLdapClient manager = proxy.client().bind("CN=directory\\20manager", "secret")) {
      manager.code(read(X));
    }
    assertThat(last(X).identity()).isEqualTo("CN=directory\\20manager");
  }

  @Test
  void aBindNameThatIsNoDnUsesItsOwnConnection() {
    restart(setup().upstream("keepPasswords", false));
    try (RawLdapClient user = proxy.client().bind("DOM\\user", "secret")) {
      assertThat(user.code(read(X))).isZero();
    }
    assertThat(last(X).identity()).isEqualTo("DOM\\user");
  }

  /** 389-ds would do it as the service account. */
  @Test
  void noExtendedOperationIsDoneByTheServiceAccount() {
    restart(setup().upstream("keepPasswords", false));
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      RawRequest pinning = read(X).with(new Control(Oids.VLV_REQUEST, true));
      x.code(pinning);
      x.code(Requests.extended(Oids.CANCEL));
      x.code(Requests.extended(Oids.CANCEL, new byte[] {0x30, 1}));
      for (String oid : List.of(Oids.PASSWORD_MODIFY, WHO_AM_I, "1.2.3.4")) {
        assertThat(x.code(Requests.extended(oid))).as(oid).isEqualTo(UNWILLING);
      }
      assertThat(x.code(read(X))).isZero();
    }
    assertThat(
            upstream.received(
                request ->
                    request.is(Received.EXTENDED) && request.identity().equals(ServiceWatch.DN)))
        .isEmpty();
  }

  @Test
  void whoAmINamesTheClient() {
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      assertThat(RawLdapClient.last(x.call(Requests.extended(WHO_AM_I))).mentions("dn:" + X))
          .isTrue();
    }
  }

  @Test
  void anAuthorizationDenialReachesTheClient() {
    upstream.when(request -> request.isSearchFor(X), Answers.result(AUTHORIZATION_DENIED));
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      assertThat(x.code(read(X))).isEqualTo(AUTHORIZATION_DENIED);
    }
  }

  @Test
  void aRetryNamesTheClientAgain() {
    Held first = upstream.hold(request -> request.isSearchFor(X));
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      int id = x.send(read(X));
      first.awaitArrival();
      upstream.dropConnections();
      assertThat(RawLdapClient.last(x.await(id)).resultCode()).isZero();
    }
    assertThat(ServiceWatch.received(upstream)).hasSize(2);
  }

  @Test
  void anAbandonIsSentAsTheServiceAccount() {
    upstream.hold(request -> request.isSearchFor(X));
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      int id = x.send(read(X));
      upstream.awaitReceived(1, request -> request.isSearchFor(X));
      x.send(Requests.abandon(id).with(new Control("1.2.3.4", true)));
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    }
    Received abandon = upstream.received(request -> request.is(Received.ABANDON)).get(0);
    assertThat(abandon.identity()).isEqualTo(ServiceWatch.DN);
    assertThat(abandon.message().decoded().getControls()).isEmpty();
    assertThat(abandon.message().decoded().getAbandonRequestProtocolOp().getIDToAbandon())
        .isEqualTo(last(X).messageId());
  }

  @Test
  void aCancelEndsOnlyTheClientsOwnOperation() {
    upstream.hold(request -> request.isSearchFor(X));
    Held other = upstream.hold(request -> request.isSearchFor(Y));
    try (RawLdapClient x = proxy.client().bind(X, "secret");
        RawLdapClient y = proxy.client().bind(Y, "secret")) {
      int ofX = x.send(read(X));
      int ofY = y.send(read(Y));
      other.awaitArrival();
      upstream.awaitReceived(1, request -> request.isSearchFor(X));
      assertThat(ofX).isEqualTo(ofY);
      assertThat(x.code(cancel(ofX))).isZero();
      assertThat(RawLdapClient.last(x.await(ofX)).resultCode()).isEqualTo(CANCELED);
      other.answer(Answers.success());
      assertThat(RawLdapClient.last(y.await(ofY)).resultCode()).isZero();
    }
    upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    assertThat(upstream.received(request -> request.is(Received.ABANDON))).hasSize(1);
  }

  @Test
  void anUpdateCannotBeCancelled() {
    Held update = upstream.hold(request -> request.is(Received.DELETE));
    try (RawLdapClient x = proxy.client().bind(X, "secret")) {
      int id = x.send(Requests.delete(X));
      update.awaitArrival();
      assertThat(x.code(cancel(id))).isEqualTo(CANNOT_CANCEL);
      update.answer(Answers.success());
      assertThat(RawLdapClient.last(x.await(id)).resultCode()).isZero();
    }
  }

  private static RawRequest cancel(int id) {
    return Requests.extended(CANCEL, Tlv.of(0x30, Tlv.integer(0x02, id)));
  }

  @Test
  void identitiesShareNoHits() {
    String shared = People.PEOPLE;
    upstream.when(
        request -> request.isSearchFor(shared) && request.message().mentions("dn:" + X),
        Answers.entries(Answers.person("x", "for x")));
    upstream.when(
        request -> request.isSearchFor(shared) && request.message().mentions("dn:" + Y),
        Answers.entries(Answers.person("y", "for y")));
    RawRequest everybody = search(shared).oneLevel().request();
    try (RawLdapClient x = proxy.client().bind(X, "secret");
        RawLdapClient y = proxy.client().bind(Y, "secret")) {
      for (int round = 0; round < 2; round++) {
        assertThat(x.call(everybody).get(0).mentions("for x")).isTrue();
        assertThat(y.call(everybody).get(0).mentions("for y")).isTrue();
      }
    }
    assertThat(upstream.received(request -> request.isSearchFor(shared))).hasSize(2);
  }

  @Test
  void manyIdentitiesShareAHandfulOfConnections() {
    try (RawLdapClient client = proxy.client()) {
      for (int number = 0; number < MANY; number++) {
        client.bind(People.dn(2) + ",n=" + number, "secret");
      }
    }
    assertThat(upstream.openConnections()).isLessThan(10);
  }

  @Test
  void aServerThatDoesNotHonourTheControlIsRefusedAtTheStart() {
    try (ScriptedUpstream other = ServiceWatch.upstream()) {
      other.when(
          ServiceWatch::isRootDse,
          Answers.entries(ServiceWatch.rootDse("supportedControl", "1.2")));
      ProxySetup both =
          ProxySetup.before(upstream.port(), other.port())
              .upstream("identity", ServiceWatch.identity(directory));
      assertThatThrownBy(() -> Proxy.open(both.config(), Extensions.none()))
          .hasMessageContaining("ldap://127.0.0.1:" + other.port())
          .hasMessageContaining(ServiceWatch.OID);
    }
  }

  @Test
  void aServerThatComesBackWithoutTheControlIsNotUsed() {
    upstream.goDown();
    Await.until("it is down", () -> !proxy.status().ready());
    upstream.when(
        ServiceWatch::isRootDse, Answers.entries(ServiceWatch.rootDse("supportedControl", "1.2")));
    upstream.comeBack();
    int probes = upstream.received(ServiceWatch::isRootDse).size();
    upstream.awaitReceived(probes + 2, ServiceWatch::isRootDse);
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(read(X))).isEqualTo(UNAVAILABLE);
    }
  }

  @Test
  void aRefusedServiceAccountIsLogged() {
    proxy.close();
    upstream.refusingBindsOf(ServiceWatch.DN);
    proxy = setup().startWithoutUpstream();
    proxy.awaitReason(1, "49");
    assertThat(proxy.status().ready()).isFalse();
  }

  @Test
  void thePasswordFileIsReadAgainAfterARefusal() {
    proxy.close();
    upstream.when(
        request ->
            request.is(Received.BIND)
                && request.message().mentions(ServiceWatch.DN)
                && !request.message().mentions("the new one"),
        Answers.result(49));
    proxy = setup().startWithoutUpstream();
    proxy.awaitReason(1, "49");
    ServiceWatch.passwordFile(directory, "the new one");
    Await.until("the proxy is ready", () -> proxy.status().ready());
  }

  @Test
  void startupBindsOnlyTheServiceAccount() {
    Set<String> identities =
        upstream.received().stream().map(Received::identity).collect(Collectors.toSet());
    assertThat(identities).isSubsetOf("", ServiceWatch.DN);
  }
}
