// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Pager;
import io.stoa.testing.Pager.Page;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Paged results before slapd: from memory where the whole result may be held, else from slapd. */
class PagingIT {
  private static final int PERSONS = 130;
  private static final int UNWILLING = 53;
  private static final int PAGINGS = 40;
  private static final int OWN_COOKIE = 24;
  private static final int COOKIE_OF_SLAPD = 8;
  private static final RawRequest SOME =
      search(People.PEOPLE).filter("(uid=user.1*)").attributes("uid").request();
  private static final RawRequest ALL =
      search(People.PEOPLE).filter("(uid=*)").attributes("uid").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Slapd slapd;
  private RunningProxy proxy;

  @BeforeAll
  static void startSlapd() {
    slapd = Slapd.start(People.slapd(PERSONS));
  }

  @AfterAll
  static void stopSlapd() {
    slapd.close();
  }

  @BeforeEach
  void start() {
    proxy = ProxySetup.before(slapd.port()).maxAge(Duration.ofMinutes(1)).start();
  }

  @AfterEach
  void stop() {
    proxy.close();
  }

  private long operations() {
    return proxy.status().backends().get(0).operations();
  }

  private int connections() {
    return proxy.status().backends().get(0).connections();
  }

  private static int count(List<Page> pages) {
    return pages.stream().mapToInt(page -> page.entries().size()).sum();
  }

  @Test
  void aPagedSearchCostsOneDirectorySearch() {
    try (RawLdapClient client = proxy.client()) {
      long before = operations();
      List<Page> first = new Pager(client, SOME).rest(7);
      assertThat(operations() - before).isEqualTo(1);
      List<Page> second = new Pager(client, SOME).rest(5);
      assertThat(operations() - before).as("the second is a hit").isEqualTo(1);
      assertThat(count(first)).isEqualTo(41).isEqualTo(count(second));
      assertThat(first).hasSize(6).allMatch(page -> page.code() == 0);
    }
  }

  /** What Net::LDAP of Ruby does: the control with every search, a connection for each. */
  @Test
  void clientsThatPageEverySearchShareHitsAndConnections() {
    RawRequest find = Pager.request(People.find(3), 126, new byte[0]);
    long before = -1;
    for (int round = 0; round < PAGINGS; round++) {
      try (RawLdapClient client = proxy.client().bind(People.dn(1), People.PASSWORD)) {
        assertThat(client.call(find)).hasSize(2);
        before = round == 1 ? operations() : before;
      }
    }
    assertThat(connections()).as("a few for each loop").isLessThan(PAGINGS / 4);
    assertThat(operations() - before).as("binds").isEqualTo(PAGINGS - 2);
    assertThat(proxy.cache().filterHits()).isEqualTo(PAGINGS - 1);
  }

  /** What was begun here goes on here. */
  @Test
  void pagingSettingsApplyToNewSearches() {
    ProxySetup here = ProxySetup.before(slapd.port()).maxAge(Duration.ofMinutes(1));
    try (RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      Pager begun = new Pager(client, SOME);
      assertThat(begun.next(7).cookie()).hasSize(OWN_COOKIE);
      proxy.proxy().reconfigure(here.cache("paging", false).config());
      assertThat(new Pager(other, SOME).next(7).cookie()).hasSize(COOKIE_OF_SLAPD);
      assertThat(count(begun.rest(7))).isEqualTo(41 - 7);
      proxy.proxy().reconfigure(here.cache("bypassLimit", 40).config());
      assertThat(new Pager(other, SOME).next(7).cookie()).hasSize(COOKIE_OF_SLAPD);
      proxy.proxy().reconfigure(here.cache("bypassLimit", 41).config());
      RawRequest again = search(People.PEOPLE).filter("(uid=user.1*)").attributes("cn").request();
      assertThat(new Pager(other, again).next(7).cookie()).hasSize(OWN_COOKIE);
    }
  }

  @Test
  void aCachedSearchServesThePages() {
    try (RawLdapClient client = proxy.client()) {
      client.call(SOME);
      long before = operations();
      assertThat(count(new Pager(client, SOME).rest(7))).isEqualTo(41);
      assertThat(operations()).isEqualTo(before);
    }
  }

  @Test
  void allPagesArriveThoughSlapdIsKilled() {
    try (RawLdapClient client = proxy.client()) {
      Pager pager = new Pager(client, SOME);
      List<Page> pages = new ArrayList<>(List.of(pager.next(4)));
      slapd.kill();
      pages.addAll(pager.rest(4));
      assertThat(count(pages)).isEqualTo(41);
      assertThat(pages).allMatch(page -> page.code() == 0);
    } finally {
      slapd.restart();
    }
  }

  @Test
  void aTooLargeResultIsPagedBySlapd() {
    try (RawLdapClient client = proxy.client()) {
      long before = operations();
      assertThat(count(new Pager(client, ALL).rest(50))).isEqualTo(PERSONS);
      assertThat(operations() - before).as("one in vain, and its pages").isEqualTo(4);
      assertThat(count(new Pager(client, ALL).rest(50))).isEqualTo(PERSONS);
      assertThat(operations() - before).isEqualTo(7);
    }
  }

  @Test
  void resultsWithPasswordsAreNotCached() {
    RawRequest passwords = search(People.PEOPLE).filter("(uid=user.1*)").request();
    try (RawLdapClient client = proxy.client().bind(People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      long before = operations();
      assertThat(count(new Pager(client, passwords).rest(30))).isEqualTo(41);
      assertThat(operations() - before).as("one in vain, and its pages").isEqualTo(3);
    }
  }

  @Test
  void sortedPagesAreServedBySlapd() {
    Control sort = new ServerSideSortRequestControl(true, new SortKey("uid"));
    Control manage = new ManageDsaITRequestControl(false);
    try (RawLdapClient client = proxy.client()) {
      long before = operations();
      Page page = new Pager(client, SOME.with(sort)).next(4);
      assertThat(page.code()).as("slapd has no sorting here").isEqualTo(12);
      assertThat(operations() - before).isEqualTo(1);
      assertThat(count(new Pager(client, SOME.with(manage)).rest(4))).isEqualTo(41);
      assertThat(operations() - before).isEqualTo(2);
    }
  }

  @Test
  void aCookieIsGoodOnceOnItsConnectionForItsSearchAndIdentity() {
    try (RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      Pager pager = new Pager(client, SOME);
      pager.next(4);
      byte[] first = pager.cookie();
      pager.next(4);
      assertThat(code(client, SOME, first)).as("an old one").isEqualTo(UNWILLING);
      assertThat(code(other, SOME, pager.cookie())).as("elsewhere").isEqualTo(UNWILLING);
      assertThat(pager.next(4).entries()).as("the cookie is still valid").hasSize(4);
      assertThat(code(client, ALL, pager.cookie())).as("another search").isEqualTo(UNWILLING);
      Pager again = new Pager(client, SOME);
      again.next(4);
      client.bind(People.dn(1), People.PASSWORD);
      assertThat(code(client, SOME, again.cookie()))
          .as("cookie of the former identity")
          .isEqualTo(UNWILLING);
    }
  }

  private static int code(RawLdapClient client, RawRequest search, byte[] cookie) {
    return client.code(Pager.request(search, 4, cookie));
  }

  /** 389-ds would take it for its first paging on the connection, whatever that was. */
  @Test
  void anUnknownCookieIsRefusedBySlapd() {
    byte[] cookie = "not a cookie".getBytes(StandardCharsets.US_ASCII);
    try (RawLdapClient client = proxy.client();
        RawLdapClient straight = RawLdapClient.connect(slapd.address())) {
      RawRequest page = Pager.request(SOME, 4, cookie);
      assertThat(client.call(page).get(0).body()).isEqualTo(straight.call(page).get(0).body());
    }
  }

  @Test
  void aSizeOfZeroEndsThePaging() {
    try (RawLdapClient client = proxy.client()) {
      Pager pager = new Pager(client, SOME);
      pager.next(4);
      byte[] cookie = pager.cookie();
      Page end = pager.next(0);
      assertThat(end.code()).isZero();
      assertThat(end.isLast()).isTrue();
      assertThat(code(client, SOME, cookie)).isEqualTo(UNWILLING);
    }
  }

  @Test
  void pagingsThatAreNeverEndedMakeRoomForOthers() {
    try (RawLdapClient client = proxy.client()) {
      Pager first = new Pager(client, SOME);
      first.next(4);
      Pager last = first;
      for (int i = 0; i < PAGINGS; i++) {
        last = new Pager(client, SOME);
        assertThat(last.next(4).entries()).hasSize(4);
      }
      assertThat(count(last.rest(4))).isEqualTo(37);
      assertThat(first.next(4).code()).isEqualTo(UNWILLING);
    }
  }

  @Test
  void everyPageIsSlapdsIfPagingIsOff() {
    ProxySetup setup = ProxySetup.before(slapd.port());
    try (RunningProxy off = setup.cache("paging", false).start();
        RawLdapClient client = off.client()) {
      long before = off.status().backends().get(0).operations();
      assertThat(count(new Pager(client, SOME).rest(10))).isEqualTo(41);
      assertThat(off.status().backends().get(0).operations() - before).isEqualTo(5);
    }
  }
}
