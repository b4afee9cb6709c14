// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.DIGESTMD5BindRequest;
import com.unboundid.ldap.sdk.DIGESTMD5BindRequestProperties;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SASLQualityOfProtection;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients that agree with a real slapd on a security layer, so that Stoa cannot read what passes.
 * The ciphers of DIGEST-MD5 are no longer there, but its signatures are.
 */
class SaslTunnelIT {
  private static final int PEOPLE = 400;
  private static final int ROUNDS = 20;
  private static final Duration IDLE = Duration.ofSeconds(2);

  private static Slapd slapd;

  @BeforeAll
  static void startSlapd() {
    slapd = Slapd.start(People.saslSlapd(PEOPLE));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
  }

  private static LDAPConnection bound(RunningProxy proxy, SASLQualityOfProtection layer)
      throws LDAPException {
    DIGESTMD5BindRequestProperties properties =
        new DIGESTMD5BindRequestProperties(People.user(1), People.PASSWORD);
    properties.setAllowedQoP(layer);
    LDAPConnection client = new LDAPConnection("127.0.0.1", proxy.address().getPort());
    assertThat(client.bind(new DIGESTMD5BindRequest(properties)).getResultCode().intValue())
        .isZero();
    return client;
  }

  private static void uses(LDAPConnection client) throws LDAPException {
    WhoAmIExtendedResult who =
        (WhoAmIExtendedResult) client.processExtendedOperation(new WhoAmIExtendedRequest());
    assertThat(who.getAuthorizationID()).isEqualTo("dn:" + People.dn(1));
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(client.search(People.PEOPLE, SearchScope.ONE, "(uid=*)").getEntryCount())
          .isEqualTo(PEOPLE);
    }
    assertThat(client.getEntry(People.dn(1), "description").getAttributeValue("description"))
        .isEqualTo(People.dn(1));
  }

  @ParameterizedTest
  @EnumSource(names = {"AUTH", "AUTH_INT"})
  void everyLayerWorks(SASLQualityOfProtection layer) throws LDAPException {
    long before = slapd.connections();
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).start();
        LDAPConnection client = bound(proxy, layer)) {
      uses(client);
      boolean tunnel = layer != SASLQualityOfProtection.AUTH;
      assertThat(proxy.cache().filterMisses() == 0).isEqualTo(tunnel);
    }
    Await.until("the connections have ended", () -> slapd.connections() <= before);
  }

  @Test
  void aTunnelEndsWithItsServer() throws LDAPException {
    try (Slapd own = Slapd.start(People.saslSlapd(2));
        RunningProxy proxy = ProxySetup.before(own.port()).start();
        LDAPConnection client = bound(proxy, SASLQualityOfProtection.AUTH_INT)) {
      assertThat(client.getEntry(People.dn(1))).isNotNull();
      own.kill();
      Await.until("the client is disconnected", () -> !client.isConnected());
      assertThatThrownBy(() -> client.getEntry(People.dn(1))).isInstanceOf(LDAPException.class);
    }
  }

  @Test
  void anIdleTunnelEnds() throws LDAPException {
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).limit("idleTimeout", IDLE).start();
        LDAPConnection client = bound(proxy, SASLQualityOfProtection.AUTH_INT)) {
      assertThat(client.getEntry(People.dn(1))).isNotNull();
      Await.until("the client is disconnected", () -> proxy.status().connections() == 0);
    }
  }
}
