// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.DirectoryServer;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.Pager;
import io.stoa.testing.Pager.Page;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Random searches in pages of random sizes, straight and through Stoa: every page is the same to
 * the octet, cookies apart. With 389-ds also the estimate apart: it counts what its indexes name,
 * matching or not.
 */
@Tag("soak")
class PagingDifferentialIT {
  private static final int PERSONS = 60;
  private static final int MAX_PAGES = 12;
  private static final List<String> FILTERS =
      List.of("(uid=user.1*)", "(uid=user.7)", "(objectClass=*)", "(uid=nobody)", "(cn=User 2*)");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @Test
  void pagesOfSlapd() {
    try (Slapd slapd = Slapd.start(People.slapd(PERSONS))) {
      compare(slapd.address(), true);
    }
  }

  @Test
  void pagesOf389() {
    Ldif ldif = Ldif.forDs389();
    String everybody = "aci: (targetattr=\"*\")(version 3.0; acl \"a\"; allow (all)";
    ldif.entry(
        People.SUFFIX,
        "objectClass: domain",
        "dc: example",
        everybody + " userdn=\"ldap:///anyone\";)");
    ldif.entry(People.PEOPLE, "objectClass: organizationalUnit", "ou: people");
    for (int i = 0; i < PERSONS; i++) {
      ldif.entry(
          People.dn(i),
          "objectClass: inetOrgPerson",
          "uid: user." + i,
          "cn: User " + i,
          "sn: Number" + i);
    }
    try (DirectoryServer ds389 = Ds389.start(Ds389Config.stock().database(People.SUFFIX, ldif))) {
      compare(ds389.address(), false);
    }
  }

  private static void compare(InetSocketAddress server, boolean estimates) {
    try (RunningProxy proxy = ProxySetup.before(server.getPort()).start();
        RawLdapClient through = proxy.client();
        RawLdapClient straight = RawLdapClient.connect(server)) {
      Random random = new Random(Soak.seed());
      for (int round = 0; round < Soak.scale(60, 20_000); round++) {
        RawRequest search = randomSearch(random);
        page(random, estimates, new Pager(straight, search), new Pager(through, search));
      }
      assertThat(proxy.cache().filterHits()).isPositive();
    }
  }

  private static RawRequest randomSearch(Random random) {
    String base = random.nextInt(10) == 0 ? "ou=none," + People.SUFFIX : People.PEOPLE;
    return search(base)
        .scope(random.nextInt(3))
        .filter(FILTERS.get(random.nextInt(FILTERS.size())))
        .attributes("uid", "cn")
        .request();
  }

  private static void page(Random random, boolean estimates, Pager straight, Pager through) {
    for (int page = 0; page < MAX_PAGES; page++) {
      int size = 1 + random.nextInt(random.nextBoolean() ? 10 : 100);
      Page expected = straight.next(size);
      assertThat(through.next(size).seen(estimates))
          .as("page %d of %d", page, size)
          .isEqualTo(expected.seen(estimates));
      if (expected.isLast()) {
        return;
      }
    }
    assertAbandons(estimates, straight.next(0), through.next(0));
  }

  /** The answer to a page of no entries repeats the last estimate. */
  private static void assertAbandons(boolean estimates, Page straight, Page through) {
    assertThat(through.entries()).isEmpty();
    assertThat(through.isLast()).isEqualTo(straight.isLast());
    assertThat(through.done().op()).isEqualTo(straight.done().op());
    if (estimates) {
      assertThat(through.seen(true)).isEqualTo(straight.seen(true));
    }
  }
}
