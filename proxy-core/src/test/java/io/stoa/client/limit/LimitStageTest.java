// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.limit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.PagedResults;
import io.stoa.testing.Answers;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.ManualUpstream;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.SmallDirectory;
import io.stoa.testing.TestSession;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The limits of searches: entries, time, pages and sorting. */
class LimitStageTest {
  private static final RawRequest SEARCH = Requests.search("dc=x").request();
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final ManualLoop loop = new ManualLoop();
  private final ManualUpstream upstream = new ManualUpstream();
  private final PagedSearches searches = new PagedSearches();
  private final TestSession client = new TestSession(loop);
  private SearchLimits limits = SearchLimits.OFF;
  private final LimitStage stage =
      new LimitStage(() -> limits, () -> SmallDirectory.PROFILE, searches, upstream);

  private void limit(String name, Object value) {
    limits = Records.with(limits, name, value);
  }

  private RecordedResponse send(RawRequest request) {
    RecordedResponse response = client.send(request, stage);
    loop.run();
    return response;
  }

  private void entries(int count) {
    for (int i = 0; i < count; i++) {
      upstream.entry(Answers.person("p" + i, "x"));
    }
    loop.run();
  }

  private static RawRequest page(int size, String cookie) {
    return SEARCH.with(new SimplePagedResultsControl(size, new ASN1OctetString(cookie), true));
  }

  /** Ends a page of the server; without a cookie it is the last one. */
  private void endPage(String cookie) {
    Control control = new PagedResults(0, cookie.getBytes(UTF_8)).control(false);
    byte[] done = Responses.searchDone(0).op();
    upstream.complete(LdapMessage.of(1, done, List.of(control)));
  }

  private PagedResults sentPage() throws Exception {
    return PagedResults.of(upstream.oldest().request().controls());
  }

  // Entries and time

  @Test
  void aResultOfTheMaximumSizeIsComplete() {
    limit("sizeLimit", 2);
    RecordedResponse response = send(SEARCH);
    entries(2);
    upstream.answer(0);
    assertThat(response.outcome()).isEqualTo("0");
    assertThat(response.parts()).isEqualTo(2);
  }

  @Test
  void theEntryAboveTheMaximumEndsTheSearch() {
    limit("sizeLimit", 2);
    RecordedResponse response = send(SEARCH);
    entries(3);
    assertThat(response.outcome()).isEqualTo("SIZE_LIMIT");
    assertThat(response.parts()).isEqualTo(2);
  }

  @Test
  void referencesDoNotCountAsEntries() {
    limit("sizeLimit", 1);
    RecordedResponse response = send(SEARCH);
    upstream.part(Responses.reference("ldap://other"));
    entries(1);
    upstream.answer(0);
    assertThat(response.outcome()).isEqualTo("0");
  }

  @Test
  void aSearchIsEndedAtItsTimeLimitAndNotBefore() {
    limit("timeLimit", SECOND);
    RecordedResponse response = send(SEARCH);
    loop.pass(SECOND.dividedBy(2));
    assertThat(response.outcome()).isEqualTo(RecordedResponse.OPEN);
    loop.pass(SECOND.dividedBy(2));
    assertThat(response.outcome()).isEqualTo("TIME_LIMIT");
  }

  @Test
  void aSearchThatRunsUntilItsClientEndsItHasNoTimeLimit() {
    limit("timeLimit", SECOND);
    RecordedResponse response = send(SEARCH);
    upstream.oldest().setLongLived(true);
    loop.pass(SECOND.multipliedBy(2));
    assertThat(response.outcome()).isEqualTo(RecordedResponse.OPEN);
  }

  @Test
  void anExemptClientHasNoLimits() {
    limit("sizeLimit", 1);
    limit("exempt", List.of("CN=Admin,DC=X"));
    client.named("cn=admin,dc=x");
    RecordedResponse response = send(SEARCH);
    entries(3);
    assertThat(response.parts()).isEqualTo(3);
  }

  @Test
  void otherRequestsHaveNoLimits() {
    limit("timeLimit", SECOND);
    RecordedResponse response = send(Requests.compare("dc=x", "dc", "x"));
    loop.pass(SECOND.multipliedBy(2));
    assertThat(response.outcome()).isEqualTo(RecordedResponse.OPEN);
  }

  // Pages

  @Test
  void theEntriesOfAllPagesCountTogether() {
    limit("sizeLimit", 3);
    send(page(2, ""));
    entries(2);
    endPage("next");
    RecordedResponse second = send(page(2, "next"));
    entries(2);
    assertThat(second.outcome()).isEqualTo("SIZE_LIMIT");
    assertThat(second.parts()).isOne();
  }

  @Test
  void aPageLargerThanTheMaximumIsAskedForWithTheMaximum() throws Exception {
    limit("pageSize", 10);
    send(page(11, ""));
    assertThat(sentPage().size()).isEqualTo(10);
  }

  @Test
  void aPageOfTheMaximumSizeStaysUnchanged() throws Exception {
    limit("pageSize", 10);
    send(page(10, ""));
    assertThat(sentPage().size()).isEqualTo(10);
  }

  @Test
  void thePagedSearchAboveTheMaximumOfAllClientsIsRefused() {
    limit("pagedSearches", 1);
    send(page(2, ""));
    assertThat(send(page(2, "")).outcome()).isEqualTo("TOO_MANY_PAGED");
    assertThat(searches.count()).isOne();
  }

  @Test
  void aPagedSearchThatHasEndedMakesRoomForAnother() {
    limit("pagedSearches", 1);
    send(page(2, ""));
    endPage("");
    assertThat(searches.count()).isZero();
    assertThat(send(page(2, "")).outcome()).isEqualTo(RecordedResponse.OPEN);
  }

  @Test
  void thePagedSearchesOfAClientThatLeavesMakeRoomForOthers() {
    limit("pagedSearches", 1);
    send(page(2, ""));
    endPage("next");
    assertThat(searches.count()).isOne();
    client.leave();
    assertThat(searches.count()).isZero();
  }

  @Test
  void aCookieOfAnotherClientIsRefused() {
    limit("pagedSearches", 10);
    send(page(2, ""));
    endPage("next");
    TestSession other = new TestSession(loop);
    assertThat(other.send(page(2, "next"), stage).outcome()).isEqualTo("COOKIE_LOST");
  }

  @Test
  void aSeventeenthPausedSearchOfOneClientEndsItsOldestOne() {
    limit("pagedSearches", 100);
    for (int i = 0; i <= 16; i++) {
      send(page(2, ""));
      endPage("cookie" + i);
    }
    assertThat(searches.count()).isEqualTo(16);
    assertThat(send(page(2, "cookie1")).outcome()).isEqualTo(RecordedResponse.OPEN);
    assertThat(send(page(2, "cookie0")).outcome()).isEqualTo("COOKIE_LOST");
  }

  @Test
  void pagesThatAreNotAllowedAreRefused() {
    limit("pagedResults", false);
    assertThat(send(page(2, "")).outcome()).isEqualTo("PAGING_DENIED");
  }

  @Test
  void aPagingControlThatIsNotCriticalIsLeftOutIfPagesAreNotAllowed() throws Exception {
    limit("pagedResults", false);
    send(SEARCH.with(new SimplePagedResultsControl(2, null, false)));
    assertThat(upstream.oldest().request().controls()).isEmpty();
  }

  // Sorting

  private static RawRequest sorted(boolean critical, String... keys) {
    SortKey[] all = List.of(keys).stream().map(SortKey::new).toArray(SortKey[]::new);
    return SEARCH.with(new ServerSideSortRequestControl(critical, all));
  }

  @Test
  void aSortWithTheMaximumOfKeysIsForwarded() throws Exception {
    limit("sortKeys", 2);
    send(sorted(true, "cn", "sn"));
    assertThat(upstream.oldest().request().controls())
        .extracting(Control::oid)
        .containsExactly(Oids.SORT_REQUEST);
  }

  @Test
  void aCriticalSortAboveTheMaximumOfKeysIsRefused() {
    limit("sortKeys", 1);
    assertThat(send(sorted(true, "cn", "sn")).outcome()).isEqualTo("53");
  }

  @Test
  void aSortThatIsNotCriticalIsLeftOutAboveTheMaximumOfKeys() throws Exception {
    limit("sortKeys", 1);
    RecordedResponse response = send(sorted(false, "cn", "sn"));
    assertThat(upstream.oldest().request().controls()).isEmpty();
    upstream.answer(0);
    assertThat(response.outcome()).isEqualTo("0");
  }

  @Test
  void aCriticalSortIsRefusedIfSortingIsNotAllowed() {
    limit("sorting", false);
    assertThat(send(sorted(true, "cn")).outcome()).isEqualTo("50");
  }
}
