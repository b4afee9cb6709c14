// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.CompareRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.upstream.connect.UpstreamTransport;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an ordinary client does, before the in-memory directory and before slapd by each way. */
class OrdinaryClientIT {
  private static final int PEOPLE = 30;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /** The directories; both hold the same people. */
  enum Kind {
    IN_MEMORY,
    SLAPD,
    SLAPD_LDAPI,
    SLAPD_LDAPS,
    SLAPD_START_TLS
  }

  /** A directory, the proxy before it and a client that is bound as its administrator. */
  private record Flow(AutoCloseable directory, RunningProxy proxy, LDAPConnection client)
      implements AutoCloseable {
    static Flow start(Kind kind) throws LDAPException {
      if (kind == Kind.IN_MEMORY) {
        InMemoryDirectory memory = InMemoryDirectory.start(PEOPLE);
        return start(memory, ProxySetup.before(memory.port()));
      }
      Certificates authority = Certificates.create();
      Slapd slapd = Slapd.start(People.slapd(PEOPLE).tls(authority, authority.server()));
      AutoCloseable both =
          () -> {
            slapd.close();
            authority.close();
          };
      return start(both, setup(kind, slapd, authority));
    }

    private static ProxySetup setup(Kind kind, Slapd slapd, Certificates authority) {
      TlsConfig tls = TlsConfig.DEFAULTS.trusting(authority.ca());
      UpstreamTransport transport = Records.with(UpstreamTransport.DEFAULTS, "tls", tls);
      return switch (kind) {
        case SLAPD_LDAPI -> ProxySetup.beforeUrls(slapd.ldapiUrl());
        case SLAPD_LDAPS ->
            ProxySetup.beforeUrls(slapd.ldapsUrl()).upstream("transport", transport);
        case SLAPD_START_TLS ->
            ProxySetup.beforeUrls(slapd.url())
                .upstream("transport", Records.with(transport, "startTls", true));
        default -> ProxySetup.beforeUrls(slapd.url());
      };
    }

    private static Flow start(AutoCloseable directory, ProxySetup setup) throws LDAPException {
      RunningProxy proxy = setup.start();
      int listening = proxy.address().getPort();
      return new Flow(
          directory, proxy, new LDAPConnection("127.0.0.1", listening, People.ROOT, "secret"));
    }

    SearchResult find(String filter) throws LDAPException {
      return client.search(People.PEOPLE, SearchScope.SUB, filter, "uid", "mail", "title");
    }

    @Override
    public void close() throws Exception {
      client.close();
      try {
        proxy.close();
      } finally {
        directory.close();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void theSecondSearchIsAnsweredFromMemory(Kind kind) throws Exception {
    try (Flow flow = Flow.start(kind)) {
      SearchResult first = flow.find("(uid=user.3)");
      long sent = upstreamOperations(flow);
      assertThat(flow.find("(uid=user.3)").getSearchEntries()).isEqualTo(first.getSearchEntries());
      assertThat(first.getEntryCount()).isEqualTo(1);
      assertThat(flow.proxy().cache().filterHits()).isEqualTo(1);
      assertThat(upstreamOperations(flow)).as("a hit needs no upstream").isEqualTo(sent);
    }
  }

  private static long upstreamOperations(Flow flow) {
    return flow.proxy().status().backends().get(0).operations();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void writesAreSeenAtOnce(Kind kind) throws Exception {
    try (Flow flow = Flow.start(kind)) {
      LDAPConnection client = flow.client();
      assertThat(flow.find("(title=Boss)").getEntryCount()).isZero();
      client.modify("dn: " + People.dn(4), "changetype: modify", "replace: title", "title: Boss");
      assertThat(flow.find("(title=Boss)").getEntryCount()).isEqualTo(1);
      client.add(
          "dn: uid=new," + People.PEOPLE,
          "objectClass: inetOrgPerson",
          "uid: new",
          "cn: New",
          "sn: New",
          "title: Boss");
      assertThat(flow.find("(title=Boss)").getEntryCount()).isEqualTo(2);
      client.modifyDN("uid=new," + People.PEOPLE, "uid=newer", true);
      assertThat(flow.find("(uid=newer)").getEntryCount()).isEqualTo(1);
      assertThat(flow.find("(uid=new)").getEntryCount()).isZero();
      client.delete("uid=newer," + People.PEOPLE);
      assertThat(flow.find("(title=Boss)").getEntryCount()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void comparesAreAnsweredFromMemoryToo(Kind kind) throws Exception {
    try (Flow flow = Flow.start(kind)) {
      CompareRequest request = new CompareRequest(People.dn(5), "uid", "user.5");
      for (int i = 0; i < 3; i++) {
        assertThat(flow.client().compare(request).compareMatched()).isTrue();
      }
      assertThat(flow.proxy().cache().compareHits()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aLoginIsCheckedByTheDirectory(Kind kind) throws Exception {
    try (Flow flow = Flow.start(kind)) {
      LDAPConnection client = flow.client();
      assertThat(client.bind(People.dn(6), People.PASSWORD).getResultCode())
          .isEqualTo(ResultCode.SUCCESS);
      assertThat(whoAmI(client)).containsIgnoringCase(People.dn(6));
      assertThatThrownBy(() -> client.bind(People.dn(6), "wrong"))
          .isInstanceOfSatisfying(
              LDAPException.class,
              e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.INVALID_CREDENTIALS));
      assertThat(whoAmI(client)).doesNotContain("user.6");
    }
  }

  private static String whoAmI(LDAPConnection client) throws LDAPException {
    var result =
        (WhoAmIExtendedResult) client.processExtendedOperation(new WhoAmIExtendedRequest());
    return result.getAuthorizationID();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void anAnswerInPagesIsWhole(Kind kind) throws Exception {
    try (Flow flow = Flow.start(kind)) {
      var request = new SearchRequest(People.PEOPLE, SearchScope.ONE, "(objectClass=*)", "uid");
      int entries = 0;
      SimplePagedResultsControl page = new SimplePagedResultsControl(7);
      do {
        request.setControls(page);
        SearchResult result = flow.client().search(request);
        entries += result.getEntryCount();
        page = new SimplePagedResultsControl(7, SimplePagedResultsControl.get(result).getCookie());
      } while (page.moreResultsToReturn());
      assertThat(entries).isEqualTo(PEOPLE);
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void cachingCanBeSwitchedOff(Kind kind) throws Exception {
    try (Flow flow = Flow.start(kind)) {
      flow.proxy().proxy().setCachingEnabled(false);
      Stream.of(1, 2, 3).forEach(i -> findQuietly(flow));
      assertThat(flow.proxy().cache().filterHits()).isZero();
      flow.proxy().proxy().setCachingEnabled(true);
      Stream.of(1, 2, 3).forEach(i -> findQuietly(flow));
      assertThat(flow.proxy().cache().filterHits()).isEqualTo(2);
    }
  }

  private static void findQuietly(Flow flow) {
    try {
      assertThat(flow.find("(uid=user.9)").getEntryCount()).isEqualTo(1);
    } catch (LDAPException e) {
      throw new AssertionError("a search failed", e);
    }
  }
}
