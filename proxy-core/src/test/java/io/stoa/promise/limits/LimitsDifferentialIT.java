// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import com.unboundid.ldap.sdk.controls.SortKey;
import io.stoa.client.limit.SearchLimits;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Pager;
import io.stoa.testing.Pager.Page;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SearchBuilder;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same searches straight to a slapd that limits its clients, and through a Stoa that does so
 * before a slapd that does not: what comes back is the same, from the directory and from memory.
 */
class LimitsDifferentialIT {
  private static final int LIMIT = 5;
  private static final int PERSONS = 12;
  private static final String RULE = "caseIgnoreOrderingMatch";

  private static Slapd limited;
  private static Slapd free;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void start() {
    limited = Slapd.start(slapd("sizelimit " + LIMIT, "sssvlv-maxkeys 1"));
    free = Slapd.start(slapd("sizelimit unlimited", ""));
  }

  private static SlapdConfig slapd(String global, String database) {
    return SlapdConfig.stock()
        .module("sssvlv")
        .global(global)
        .database(
            People.SUFFIX,
            People.ACCESS + "overlay sssvlv\n" + database + "\n",
            People.tree(PERSONS));
  }

  @AfterAll
  static void stop() {
    limited.close();
    free.close();
  }

  private static RunningProxy proxy(boolean caches, String limit, Object value) {
    ProxySetup setup =
        ProxySetup.before(free.port())
            .limit("search", Records.with(SearchLimits.OFF, limit, value));
    return (caches ? setup : setup.cachesOff()).start();
  }

  private static List<RawRequest> searches() {
    List<SearchBuilder> kinds =
        Stream.of(
                "(uid=user.1)",
                "(uid=nobody)",
                "(|(uid=user.1)(uid=user.2)(uid=user.3)(uid=user.4)(uid=user.5))",
                "(|(uid=user.1)(uid=user.2)(uid=user.3)(uid=user.4)(uid=user.5)(uid=user.6))",
                "(objectClass=*)")
            .flatMap(
                filter ->
                    Stream.of(search(People.SUFFIX), search(People.PEOPLE).oneLevel())
                        .map(builder -> builder.filter(filter)))
            .toList();
    List<RawRequest> all = new ArrayList<>();
    for (SearchBuilder kind : kinds) {
      for (int own : List.of(0, 1, LIMIT - 1, LIMIT, LIMIT + 1, 100)) {
        all.add(kind.sizeLimit(own).attributes("uid").request());
      }
    }
    all.add(search("ou=none," + People.SUFFIX).request());
    all.add(search(People.PEOPLE).baseScope().request());
    return all;
  }

  private static List<String> seen(List<RawMessage> answer) {
    return answer.stream().map(message -> HexFormat.of().formatHex(message.body())).toList();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void limitedResultsEqualTheDirectorys(boolean caches) {
    try (RunningProxy proxy = proxy(caches, "sizeLimit", LIMIT);
        RawLdapClient straight = RawLdapClient.connect(limited.address());
        RawLdapClient through = proxy.client()) {
      for (RawRequest search : searches()) {
        List<String> expected = seen(straight.call(search));
        assertThat(seen(through.call(search))).as("first").isEqualTo(expected);
        assertThat(seen(through.call(search))).as("again").isEqualTo(expected);
      }
      assertThat(proxy.cache().filterHits()).matches(hits -> (hits > 0) == caches);
    }
  }

  /** What a limit hides from one client is there for another, and the other way round. */
  @Test
  void limitedSearchesStoreWholeResults() {
    SearchLimits limits =
        Records.with(
            Records.with(SearchLimits.OFF, "sizeLimit", LIMIT), "exempt", List.of(People.ROOT));
    RawRequest all = search(People.PEOPLE).attributes("uid").request();
    try (RunningProxy proxy = ProxySetup.before(free.port()).limit("search", limits).start();
        RawLdapClient exempt = proxy.client().bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
        RawLdapClient same = proxy.client().bind(People.dn(1), People.PASSWORD);
        RawLdapClient anonymous = proxy.client()) {
      for (int round = 0; round < 3; round++) {
        assertThat(anonymous.call(all)).hasSize(LIMIT + 1);
        assertThat(RawLdapClient.last(same.call(all)).resultCode()).isEqualTo(4);
        assertThat(exempt.call(all)).hasSize(PERSONS + 2);
      }
      assertThat(proxy.cache().filterHits()).isEqualTo(6);
      proxy.proxy().reconfigure(ProxySetup.before(free.port()).config());
      assertThat(anonymous.call(all)).as("from memory, whole").hasSize(PERSONS + 2);
      assertThat(proxy.cache().filterHits()).isEqualTo(7);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void allPagesTogetherKeepTheSizeLimit(boolean caches) {
    RawRequest all = search(People.PEOPLE).oneLevel().attributes("uid").request();
    RawRequest few = search(People.PEOPLE).filter("(uid=user.1*)").attributes("uid").request();
    try (RunningProxy proxy = proxy(caches, "sizeLimit", LIMIT)) {
      for (RawRequest search : List.of(all, few)) {
        for (int size : List.of(1, 2, LIMIT - 1, LIMIT, LIMIT + 1, 100)) {
          List<String> expected = pages(RawLdapClient.connect(limited.address()), search, size);
          assertThat(pages(proxy.client(), search, size)).as("of %d", size).isEqualTo(expected);
          assertThat(pages(proxy.client(), search, size)).as("of %d", size).isEqualTo(expected);
        }
      }
    }
  }

  private static List<String> pages(RawLdapClient client, RawRequest search, int size) {
    List<String> seen = new ArrayList<>();
    try (client) {
      for (Page page : new Pager(client, search).rest(size)) {
        seen.add(page.entries().size() + " entries, code " + page.code());
      }
    }
    return seen;
  }

  @Test
  void sortKeysBeyondTheLimitAreRefused() {
    RawRequest search = search(People.PEOPLE).filter("(uid=user.1)").attributes("uid").request();
    SortKey sn = new SortKey("sn", RULE, false);
    SortKey cn = new SortKey("cn", RULE, true);
    try (RunningProxy proxy = proxy(true, "sortKeys", 1);
        RawLdapClient straight = RawLdapClient.connect(limited.address());
        RawLdapClient through = proxy.client()) {
      for (SortKey[] keys : List.of(new SortKey[] {sn}, new SortKey[] {sn, cn})) {
        RawRequest sorted = search.with(new ServerSideSortRequestControl(true, keys));
        assertThat(ops(through.call(sorted))).isEqualTo(ops(straight.call(sorted)));
      }
    }
  }

  /** What was answered, controls apart: slapd says nothing there. */
  private static List<String> ops(List<RawMessage> answer) {
    return answer.stream().map(message -> HexFormat.of().formatHex(message.op())).toList();
  }
}
