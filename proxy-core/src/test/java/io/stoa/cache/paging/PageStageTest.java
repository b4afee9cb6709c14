// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.cache.paging.PageContext.PageConfig;
import io.stoa.cache.result.AlwaysAvailable;
import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.PagedResults;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Rejection;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.SessionGuarantees;
import io.stoa.testing.Answers;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.ManualUpstream;
import io.stoa.testing.Pager;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.SmallDirectory;
import io.stoa.testing.TestSession;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Pages that are cut from a whole result, and those that the directory must send. */
class PageStageTest {
  private static final String BASE = "dc=example,dc=com";
  private static final int MOST_ENTRIES = 5;
  private static final int SIZE_LIMIT_EXCEEDED = 4;
  private static final String UNWILLING = "53";
  private static final byte[] FIRST = {};

  private final ManualLoop loop = new ManualLoop();
  private final ManualUpstream upstream = new ManualUpstream();
  private final PageStage stage =
      new PageStage(
          new PageContext(
              () -> new PageConfig(true, MOST_ENTRIES, Integer.MAX_VALUE),
              PageStageTest::profile,
              new OversizedSearches()),
          cache());
  private final TestSession client = new TestSession(loop);

  PageStageTest() {
    loop.pass(Duration.ofMinutes(1)); // requests are received after the start of the caches
  }

  /** Returns the profile of a directory that supports the control. */
  private static ServerProfile profile() {
    Entry root = new Entry("", new Attribute("supportedControl", Pager.OID));
    try {
      return ServerProfile.of(SearchEntry.parse(Responses.entry(root).op()), null);
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private CacheStage cache() {
    Caches caches =
        new Caches(
            Records.with(CacheConfig.DEFAULTS, "maxAge", Duration.ofHours(1)),
            () -> Duration.ofSeconds(1),
            new AlwaysAvailable(),
            Caches.ClockAndRandom.SYSTEM);
    caches.setProfile(SmallDirectory.PROFILE);
    SessionGuarantees guarantees =
        new SessionGuarantees(
            ReplicationConfig.DEFAULTS,
            () -> Duration.ofSeconds(1),
            () -> Duration.ofSeconds(1),
            () -> SmallDirectory.PROFILE,
            System::nanoTime);
    return new CacheStage(caches, guarantees, upstream);
  }

  private static RawRequest page(String base, int size, byte[] cookie) {
    return Requests.search(base)
        .request()
        .with(new SimplePagedResultsControl(size, new ASN1OctetString(cookie)));
  }

  private RecordedResponse ask(TestSession from, int size, byte[] cookie) {
    RecordedResponse response = from.send(page(BASE, size, cookie), stage);
    loop.run();
    return response;
  }

  private RecordedResponse ask(int size, byte[] cookie) {
    return ask(client, size, cookie);
  }

  /** Answers the search for the whole result. */
  private void answer(int entries) {
    for (int i = 0; i < entries; i++) {
      upstream.entry(Answers.person("user." + i, "x"));
    }
    upstream.answer(0);
    loop.run();
  }

  private static byte[] cookie(RecordedResponse response) {
    try {
      return PagedResults.cookieOf(response.controls());
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the cookie after the first of two pages. */
  private byte[] afterFirstPage() {
    RecordedResponse first = ask(2, FIRST);
    answer(3);
    assertThat(first.outcome()).isEqualTo("0");
    return cookie(first);
  }

  @Test
  void aResultOnOnePageHasAnEmptyCookie() {
    RecordedResponse response = ask(3, FIRST);
    answer(3);
    assertThat(response.parts()).isEqualTo(3);
    assertThat(response.outcome()).isEqualTo("0");
    assertThat(response.controls()).hasSize(1);
    assertThat(cookie(response)).isEmpty();
  }

  @Test
  void furtherPagesNeedNoServer() {
    byte[] cookie = afterFirstPage();
    assertThat(Cursors.isOwn(cookie)).isTrue();
    RecordedResponse second = ask(2, cookie);
    assertThat(second.parts()).isOne();
    assertThat(second.outcome()).isEqualTo("0");
    assertThat(cookie(second)).isEmpty();
    assertThat(upstream.received()).isOne();
  }

  @Test
  void aCookieIsRefusedTheSecondTime() {
    byte[] cookie = afterFirstPage();
    ask(2, cookie);
    assertThat(ask(2, cookie).outcome()).isEqualTo(UNWILLING);
  }

  @Test
  void aCookieOfAnotherClientIsRefused() {
    byte[] cookie = afterFirstPage();
    assertThat(ask(new TestSession(loop), 2, cookie).outcome()).isEqualTo(UNWILLING);
    assertThat(upstream.received()).as("it must not reach the server").isOne();
  }

  @Test
  void aCookieOfAnotherSearchIsRefused() {
    byte[] cookie = afterFirstPage();
    RecordedResponse response = client.send(page("ou=other," + BASE, 2, cookie), stage);
    assertThat(response.outcome()).isEqualTo(UNWILLING);
    assertThat(ask(2, cookie).outcome()).as("its cursor has ended").isEqualTo(UNWILLING);
  }

  @Test
  void aCookieIsRefusedAfterABind() {
    byte[] cookie = afterFirstPage();
    client.reset();
    assertThat(ask(2, cookie).outcome()).isEqualTo(UNWILLING);
  }

  @Test
  void aPageSizeOfZeroEndsTheResult() {
    byte[] cookie = afterFirstPage();
    RecordedResponse end = ask(0, cookie);
    assertThat(end.outcome()).isEqualTo("0");
    assertThat(end.parts()).isZero();
    assertThat(ask(2, cookie).outcome()).isEqualTo(UNWILLING);
  }

  @Test
  void aCookieOfTheServerGoesToTheServer() {
    ask(2, new byte[] {1, 2, 3});
    assertThat(upstream.received()).isOne();
  }

  @Test
  void pagesOfATooLargeResultComeFromTheServerForAWhile() {
    ask(2, FIRST);
    upstream.answer(SIZE_LIMIT_EXCEEDED);
    assertThat(upstream.received()).as("the whole result, then the page").isEqualTo(2);
    upstream.answer(0);
    ask(2, FIRST);
    assertThat(upstream.received()).as("the page alone").isEqualTo(3);
  }

  @Test
  void aClientWithoutRoomGetsItsPageFromTheServer() {
    client.room(1_000);
    ask(2, FIRST);
    for (int i = 0; i < 3; i++) {
      upstream.entry(Answers.person("user." + i, "x".repeat(300)));
    }
    upstream.answerAll();
    assertThat(upstream.received()).isEqualTo(2);
    assertThat(client.room()).isEqualTo(1_000);
  }

  @Test
  void aLostDirectoryRejectsTheFirstPage() {
    RecordedResponse response = ask(2, FIRST);
    upstream.lose(Rejection.NO_UPSTREAM);
    assertThat(response.outcome()).isEqualTo("NO_UPSTREAM");
    assertThat(client.room()).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void aLostDirectoryDoesNotEndResultsThatAreHeld() {
    byte[] cookie = afterFirstPage();
    upstream.stop();
    assertThat(ask(2, cookie).parts()).isOne();
  }

  @Test
  void anAbandonedFirstPageAbandonsTheSearchForTheResult() {
    ask(2, FIRST);
    client.abandon(1);
    assertThat(upstream.oldest().hasEnded()).isTrue();
    assertThat(client.ends()).containsExactly("1 abandoned");
  }
}
