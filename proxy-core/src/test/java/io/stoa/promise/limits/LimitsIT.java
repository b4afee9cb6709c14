// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import io.stoa.client.limit.SearchLimits;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.Pager;
import io.stoa.testing.Pager.Page;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients may take of searches, one limit after the other. */
class LimitsIT {
  private static final int PERSONS = 12;
  private static final String RULE = "caseIgnoreOrderingMatch";
  private static final int BUSY = 51;
  private static final int DENIED = 50;
  private static final RawRequest ALL =
      search(People.PEOPLE).oneLevel().attributes("uid").request();

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void start() {
    slapd =
        Slapd.start(
            SlapdConfig.stock()
                .module("sssvlv")
                .module("syncprov")
                .database(
                    People.SUFFIX,
                    People.ACCESS + "overlay sssvlv\noverlay syncprov\n",
                    People.tree(PERSONS)));
  }

  @AfterAll
  static void stop() {
    slapd.close();
  }

  private static ProxySetup setup(String limit, Object value) {
    return ProxySetup.before(slapd.port())
        .limit("search", Records.with(SearchLimits.OFF, limit, value));
  }

  private static int code(List<RawMessage> answer) {
    return RawLdapClient.last(answer).resultCode();
  }

  // Time

  @Test
  void aSearchThatTakesTooLongIsEndedOnBothSides() {
    SearchLimits limits = Records.with(SearchLimits.OFF, "timeLimit", Duration.ofMillis(300));
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = ProxySetup.before(upstream.port()).limit("search", limits).start();
        RawLdapClient client = proxy.client()) {
      Held held = upstream.hold(request -> request.isSearchFor("ou=slow"));
      assertThat(client.code(search("ou=slow,dc=example,dc=com").request())).isEqualTo(3);
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
      held.answer(Answers.entries(Answers.person("late", "x")));
      assertThat(client.code(search("ou=fast,dc=example,dc=com").request())).isZero();
    }
  }

  @Test
  void persistentSearchesHaveNoTimeLimit() {
    SearchLimits limits = Records.with(SearchLimits.OFF, "timeLimit", Duration.ofMillis(300));
    RawRequest sync =
        ALL.with(new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST));
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = ProxySetup.before(upstream.port()).limit("search", limits).start();
        RawLdapClient client = proxy.client()) {
      Held held = upstream.hold(request -> request.isSearchFor("ou=people"));
      Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
      client.send(7, sync);
      held.awaitArrival();
      assertThat(client.code(search("ou=slow,dc=example,dc=com").request())).isEqualTo(3);
      slow.awaitArrival();
      held.answer(Answers.entries(Answers.person("late", "x")));
      assertThat(client.await(7)).hasSize(2);
    }
  }

  // Entries

  /** The directory is not asked for the rest. */
  @Test
  void aLargeResultIsEndedWhereTheLimitIs() {
    SearchLimits limits = Records.with(SearchLimits.OFF, "sizeLimit", 1);
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy =
            ProxySetup.before(upstream.port()).limit("search", limits).cachesOff().start();
        RawLdapClient client = proxy.client()) {
      upstream.when(
          request -> request.isSearchFor("ou=people"),
          Answers.onlyEntries(Answers.person("a", "x"), Answers.person("b", "x")));
      List<RawMessage> answer = client.call(ALL);
      assertThat(answer).hasSize(2);
      assertThat(code(answer)).isEqualTo(4);
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    }
  }

  /** What is there at the beginning counts, what changes later does not. */
  @Test
  void theSizeLimitHoldsForTheRefreshOfAPersistentSearch() {
    RawRequest sync =
        search(People.PEOPLE)
            .filter("(uid=user.1)")
            .attributes("sn")
            .request()
            .with(new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST));
    RawRequest all =
        ALL.with(new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST));
    try (RunningProxy proxy = setup("sizeLimit", 2).start();
        RawLdapClient reader = proxy.client();
        RawLdapClient writer = proxy.client().bind(People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      List<RawMessage> answer = reader.call(all);
      assertThat(code(answer)).isEqualTo(4);
      assertThat(answer).hasSize(3);
      reader.send(9, sync);
      assertThat(reader.await(9, 2).get(0).opTag()).isEqualTo(RawMessage.SEARCH_ENTRY);
      for (String name : List.of("a", "b", "c", "d")) {
        assertThat(writer.code(Requests.replace(People.dn(1), "sn", name))).isZero();
        RawMessage change = reader.next().orElseThrow();
        assertThat(change.opTag()).isEqualTo(RawMessage.SEARCH_ENTRY);
        assertThat(change.mentions(name)).isTrue();
      }
    }
  }

  // Pages

  @Test
  void aNonCriticalPagingControlIsIgnoredIfPagingIsOff() {
    try (RunningProxy proxy = setup("pagedResults", false).start();
        RawLdapClient client = proxy.client()) {
      List<RawMessage> whole = client.call(Pager.request(ALL, 5, new byte[0]));
      assertThat(whole).hasSize(PERSONS + 1);
      assertThat(RawLdapClient.last(whole).decoded().getControls()).isEmpty();
      RawRequest critical = ALL.with(new SimplePagedResultsControl(5, new ASN1OctetString(), true));
      assertThat(client.code(critical)).isEqualTo(DENIED);
      assertThat(client.code(Pager.request(ALL, 5, new byte[] {1}))).isEqualTo(DENIED);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPageHasNoMoreEntriesThanMayBe(boolean caches) {
    ProxySetup setup = setup("pageSize", 5);
    try (RunningProxy proxy = (caches ? setup : setup.cachesOff()).start();
        RawLdapClient client = proxy.client()) {
      List<Page> pages = new Pager(client, ALL).rest(10);
      assertThat(pages).extracting(page -> page.entries().size()).containsExactly(5, 5, 2);
      assertThat(new Pager(client, ALL).next(3).entries()).hasSize(3);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void pagedSearchesInProgressAreLimited(boolean caches) {
    ProxySetup setup = setup("pagedSearches", 2);
    try (RunningProxy proxy = (caches ? setup : setup.cachesOff()).start();
        RawLdapClient first = proxy.client();
        RawLdapClient third = proxy.client()) {
      Pager one = new Pager(first, ALL);
      assertThat(one.next(5).isLast()).isFalse();
      try (RawLdapClient second = proxy.client()) {
        assertThat(new Pager(second, ALL).next(5).isLast()).isFalse();
        assertThat(new Pager(third, ALL).next(5).code()).isEqualTo(BUSY);
        assertThat(third.code(ALL)).as("without pages").isZero();
        assertThat(one.rest(5)).hasSize(2);
        assertThat(new Pager(third, ALL).rest(5)).as("in the place of the first").hasSize(3);
        assertThat(new Pager(third, ALL).next(5).code()).isZero();
        assertThat(new Pager(first, ALL).next(5).code()).isEqualTo(BUSY);
      }
      Await.until("its place is free", () -> new Pager(first, ALL).next(100).code() == 0);
    }
  }

  /** A cookie that nobody gave cannot begin a count anew. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCookieIsGoodOnce(boolean caches) {
    ProxySetup setup = setup("sizeLimit", 8);
    try (RunningProxy proxy = (caches ? setup : setup.cachesOff()).start();
        RawLdapClient client = proxy.client()) {
      Pager pager = new Pager(client, ALL);
      byte[] cookie = pager.next(3).cookie();
      assertThat(pager.next(3).code()).isZero();
      assertThat(client.code(Pager.request(ALL, 3, cookie))).isEqualTo(53);
      assertThat(client.code(Pager.request(ALL, 3, new byte[] {1, 2}))).isEqualTo(53);
    }
  }

  // Sorting

  @Test
  void aNonCriticalSortControlIsIgnoredIfSortingIsOff() {
    SortKey key = new SortKey("uid", RULE, true);
    try (RunningProxy proxy = setup("sorting", false).start();
        RawLdapClient client = proxy.client()) {
      List<RawMessage> unsorted = client.call(ALL);
      for (int round = 0; round < 2; round++) {
        List<RawMessage> answer =
            client.call(ALL.with(new ServerSideSortRequestControl(false, key)));
        assertThat(answer).hasSize(PERSONS + 1);
        assertThat(answer.get(0).op()).isEqualTo(unsorted.get(0).op());
        assertSorting(answer, DENIED);
      }
      List<RawMessage> critical =
          client.call(ALL.with(new ServerSideSortRequestControl(true, key)));
      assertThat(critical).hasSize(1);
      assertThat(code(critical)).isEqualTo(DENIED);
      assertSorting(critical, DENIED);
    }
  }

  private static void assertSorting(List<RawMessage> answer, int code) {
    assertThat(RawLdapClient.last(answer).decoded().getControls())
        .singleElement()
        .satisfies(
            control -> {
              assertThat(control.getOID()).isEqualTo("1.2.840.113556.1.4.474");
              assertThat(control.getValue().getValue()).containsExactly(0x30, 3, 0x0a, 1, code);
            });
  }

  // For whom

  @Test
  void exemptIdentitiesHaveNoLimits() {
    SearchLimits limits =
        new SearchLimits(
            3,
            Duration.ofMinutes(1),
            false,
            1,
            2,
            false,
            1,
            List.of(People.ROOT.toUpperCase(Locale.ROOT)));
    RawRequest sorted =
        ALL.with(new ServerSideSortRequestControl(true, new SortKey("uid", RULE, false)));
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).limit("search", limits).start();
        RawLdapClient anybody = proxy.client();
        RawLdapClient exempt = proxy.client()) {
      assertThat(exempt.code(ALL)).as("before it has bound").isEqualTo(4);
      exempt.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      assertThat(exempt.call(ALL)).hasSize(PERSONS + 1);
      assertThat(new Pager(exempt, ALL).rest(5)).hasSize(3);
      assertThat(exempt.call(sorted)).hasSize(PERSONS + 1);
      assertThat(anybody.code(ALL)).isEqualTo(4);
      assertThat(anybody.code(sorted)).isEqualTo(DENIED);
      exempt.bind(People.dn(1), People.PASSWORD);
      assertThat(exempt.code(ALL)).as("as somebody else").isEqualTo(4);
    }
  }
}
