// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.feed.syncrepl.Cookie;
import io.stoa.ldap.csn.Position;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.People;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What rests on the accesslog of a slapd is given however old it is, and never wrong. */
class AccesslogIT {
  private static final Duration MAX_AGE = Duration.ofMillis(100);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  /** Of an aborted transaction slapd 2.5 dies now and then: then nothing is proved. */
  private static final int TRIES = 5;

  private static final String[] UNCHANGED = {"(uid=user.9)", "(uid=user.10)", "(uid=user.11)"};

  private static final String PLACE = "ou=place," + People.SUFFIX;

  private static SlapdWithFeed fed;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void start() {
    fed = setup(Accesslog.ofPeople()).start();
  }

  @AfterAll
  static void stop() {
    fed.close();
  }

  private static SlapdWithFeedSetup setup(Accesslog log) {
    return SlapdWithFeedSetup.of(12, MAX_AGE)
        .entry(PLACE, "objectClass: organizationalUnit", "ou: place")
        .entry("cn=placed," + PLACE, "objectClass: person", "cn: placed", "sn: placed")
        .logged(log);
  }

  private static LDAPConnection client(SlapdWithFeed people, int number) {
    return people.client(People.dn(number), People.PASSWORD);
  }

  private static void city(SlapdWithFeed people, int number, String name) throws Exception {
    people.root().modify(People.dn(number), replaced(name));
  }

  private static Modification replaced(String name) {
    return new Modification(ModificationType.REPLACE, "l", name);
  }

  private static void seen(Callable<Boolean> change) {
    Await.until("the change is seen", BOUND, change);
  }

  @Test
  void directChangesAreSeenWithinTheBound() throws Exception {
    try (LDAPConnection client = client(fed, 1)) {
      fed.awaitHeldByFeed(client, "(uid=user.2)", "(l=Rome)", "(uid=user.5)");
      fed.awaitHeldByFeed(client, UNCHANGED);
      assertThat(fed.report().mode()).isEqualTo("accesslog");
      city(fed, 2, "Rome");
      seen(
          () ->
              "Rome".equals(value(client, "(uid=user.2)", "l"))
                  && find(client, "(l=Rome)", "uid", "l").getEntryCount() == 1);
      long changes = fed.report().feed().changes();
      for (int i = 0; i < 20; i++) {
        city(fed, 8, "City " + i);
      }
      Await.until("these are told", () -> fed.report().feed().position().equals(counted(fed)));
      assertThat(fed.report().feed().changes()).isGreaterThan(changes);
      assertThat(fed.isAnyRemembered(client, UNCHANGED)).as("%s", fed.report()).isTrue();
      fed.root().delete(People.dn(5));
      seen(() -> find(client, "(uid=user.5)", "uid", "l").getEntryCount() == 0);
      assertThat(fed.report().feed().gaps()).isZero();
      assertThat(log.warnings()).isEmpty();
    }
  }

  private static Position counted(SlapdWithFeed people) throws Exception {
    String[] csns =
        people.root().getEntry(People.SUFFIX, "contextCSN").getAttributeValues("contextCSN");
    return Cookie.of(List.of(csns)).position(People.SUFFIX);
  }

  @Test
  void subtreeRenamesAreSeenWithinTheBound() throws Exception {
    try (LDAPConnection client = client(fed, 1)) {
      String placed = "cn=placed," + PLACE;
      String moved = "cn=placed,ou=moved," + People.SUFFIX;
      fed.awaitHeldByFeed(
          "the old name", () -> find(client, placed, SearchScope.BASE, "(cn=*)", "sn"));
      fed.awaitHeldByFeed(
          "the new name", () -> find(client, moved, SearchScope.BASE, "(cn=*)", "sn"));
      fed.root().modifyDN(PLACE, "ou=moved", true);
      seen(
          () ->
              find(client, placed, SearchScope.BASE, "(cn=*)", "sn").getEntryCount() == 0
                  && find(client, moved, SearchScope.BASE, "(cn=*)", "sn").getEntryCount() == 1);
      fed.awaitHeldByFeed("the name", () -> find(client, moved, SearchScope.BASE, "(cn=*)", "sn"));
      fed.root().modifyDN(moved, "cn=placed", false, People.PEOPLE);
      seen(() -> find(client, moved, SearchScope.BASE, "(cn=*)", "sn").getEntryCount() == 0);
    }
  }

  @Test
  void ownWritesAreSeenAtOnce() throws Exception {
    try (LDAPConnection client = client(fed, 3);
        LDAPConnection other = client(fed, 4)) {
      fed.awaitHeldByFeed(other, "(uid=user.3)");
      for (int i = 0; i < 30; i++) {
        String name = "Town " + i;
        find(other, "(l=" + name + ")", "uid", "l");
        client.modify(People.dn(3), replaced(name));
        assertThat(value(client, "(uid=user.3)", "l")).isEqualTo(name);
        assertThat(value(other, "(uid=user.3)", "l")).isEqualTo(name);
        assertThat(find(other, "(l=" + name + ")", "uid", "l").getEntryCount()).isEqualTo(1);
      }
    }
  }

  /** What another database writes to the same log is nothing that happens here. */
  @Test
  void changesOfAnotherLoggedDatabaseAreIgnored() throws Exception {
    try (LDAPConnection client = client(fed, 1);
        LDAPConnection others = Accesslog.bound(fed.slapd(), Accesslog.OTHER)) {
      fed.awaitLive(); // all that was written before is told
      fed.awaitHeldByFeed(client, "(uid=user.7)");
      long changes = fed.report().feed().changes();
      for (int i = 0; i < 10; i++) {
        others.modify(
            Accesslog.OTHER, new Modification(ModificationType.REPLACE, "o", "Name " + i));
      }
      fed.awaitLive(); // which it is only when the log has been heard as far as that
      fed.awaitHeldByFeed(client, "(uid=user.7)");
      assertThat(fed.report().feed().changes()).isEqualTo(changes);
      assertThat(fed.report().feed().position()).isEqualTo(counted(fed));
    }
  }

  /** That by which it is looked what was written is as dead as that of the feed, unnoticed. */
  @Test
  void aFeedResumesThoughItsReadConnectionIsDeadToo() throws Exception {
    try (SlapdWithFeed own = setup(Accesslog.ofPeople()).behindRelay().trustingRestarts().start();
        LDAPConnection client = client(own, 1)) {
      own.awaitHeldByFeed(client, UNCHANGED);
      long connects = own.connects();
      own.relay().cut();
      own.awaitLiveAgain(connects);
      assertThat(own.isAnyRemembered(client, UNCHANGED)).isTrue();
      assertThat(own.report().feed().gaps()).isZero();
    }
  }

  /** It is cut off, and goes on, unless the log does not have any more what it has told. */
  @Test
  void aFeedResumesAfterACutUnlessItsLastRecordIsGone() throws Exception {
    try (SlapdWithFeed own = setup(Accesslog.ofPeople()).behindRelay().trustingRestarts().start()) {
      try (LDAPConnection client = client(own, 1)) {
        own.awaitHeldByFeed(client, "(uid=user.3)");
        own.awaitHeldByFeed(client, UNCHANGED);
      }
      long connects = own.connects();
      own.slapd().stop();
      own.slapd().restart();
      own.connect();
      city(own, 3, "Athens");
      own.awaitLiveAgain(connects);
      try (LDAPConnection client = client(own, 1)) {
        seen(() -> "Athens".equals(value(client, "(uid=user.3)", "l")));
        assertThat(own.isAnyRemembered(client, UNCHANGED)).isTrue();
      }
      assertThat(own.report().feed().gaps()).isZero();
      assertAbortedTransactionIsNotShown(own);
      String last = lastRecord(own);
      long gaps = own.report().domain().gaps();
      own.relay().lose();
      Await.until("it is cut off", () -> !own.isListening());
      try (LDAPConnection logs = Accesslog.bound(own.slapd(), Accesslog.LOG)) {
        logs.delete(last);
      }
      own.relay().goOn();
      Await.until("it begins anew", () -> own.report().domain().gaps() > gaps);
      city(own, 4, "Cairo");
      own.awaitLive();
      try (LDAPConnection client = client(own, 1)) {
        seen(() -> "Cairo".equals(value(client, "(uid=user.4)", "l")));
      }
    }
  }

  /** The log tells of it, with result 0, and of a position that the database has counted, too. */
  private static void assertAbortedTransactionIsNotShown(SlapdWithFeed own) throws Exception {
    boolean lived = false;
    for (int left = TRIES; left > 0 && !lived; left--) {
      try (LDAPConnection client = client(own, 1)) {
        own.awaitHeldByFeed(client, "(uid=user.3)", "(l=Phantom)");
        lived = isAbortedAndNotShown(own, client);
        if (!lived) {
          long connects = own.connects();
          own.slapd().restart();
          own.connect();
          city(own, 5, "Delphi"); // it counts less than its log has told otherwise
          own.awaitLiveAgain(connects);
        }
      }
    }
    assertThat(lived).isTrue();
  }

  /** Whether slapd has lived long enough to show that: it may die when it has answered already. */
  private static boolean isAbortedAndNotShown(SlapdWithFeed own, LDAPConnection client)
      throws Exception {
    ModifyRequest phantom = new ModifyRequest(People.dn(3), replaced("Phantom"));
    if (!AbortedTransaction.lived(own.root(), phantom)) {
      return false;
    }
    try {
      Await.until("it is told", () -> own.report().feed().position().equals(counted(own)));
      own.awaitHeldByFeed(client, "(uid=user.3)", "(l=Phantom)");
      assertThat(value(client, "(uid=user.3)", "l")).isNotEqualTo("Phantom");
      assertThat(find(client, "(l=Phantom)", "uid", "l").getEntryCount()).isZero();
      return true;
    } catch (AssertionError e) {
      if (own.slapd().hasEnded()) {
        return false;
      }
      throw e;
    }
  }

  private static String lastRecord(SlapdWithFeed own) throws Exception {
    try (LDAPConnection logs = Accesslog.bound(own.slapd(), Accesslog.LOG)) {
      return logs
          .search(Accesslog.LOG, SearchScope.SUB, "(objectClass=auditWriteObject)", "1.1")
          .getSearchEntries()
          .stream()
          .map(one -> one.getDN())
          .max(String::compareTo)
          .orElseThrow();
    }
  }

  /** Nothing rests on a log that leaves out changes. */
  @Test
  void aLogThatOmitsChangesIsNotTrusted() throws Exception {
    try (SlapdWithFeed own = setup(Accesslog.of("add")).start();
        LDAPConnection client = client(own, 1)) {
      own.awaitHeldByFeed(client, "(uid=user.2)");
      city(own, 2, "Oslo");
      seen(() -> "Oslo".equals(value(client, "(uid=user.2)", "l")));
      Await.until("its lease is over", () -> !own.isLive());
      own.root()
          .add(
              "cn=later," + People.SUFFIX,
              new Attribute("objectClass", "person"),
              new Attribute("cn", "later"),
              new Attribute("sn", "later"));
      Await.until("it is found out", () -> own.report().feed().why().contains("lacks the change"));
      assertThat(own.isLive()).isFalse();
      Await.until("all is void", () -> own.report().feed().gaps() == 1);
    }
    assertThat(log.warnings()).isNotEmpty();
  }

  @Test
  void theDocumentedConfigurationIsTheTestedOne() throws Exception {
    assertThat(Files.readString(Path.of("../docs/guides/feeds.md")))
        .contains(Accesslog.DATABASE)
        .contains(Accesslog.OVERLAY.formatted("writes"));
  }

  @Test
  void aMissingAccesslogIsReportedWithItsRemedy() {
    try (SlapdWithFeed own = setup(Accesslog.ofOthers()).start()) {
      awaitReason(own, "may be the log of another database");
    }
  }

  private static void awaitReason(SlapdWithFeed own, String what) {
    Await.until(
        "it says " + what,
        () -> {
          List<DomainReport> feeds = own.proxy().status().feeds();
          return !feeds.isEmpty() && feeds.get(0).feed().why().contains(what);
        });
    assertThat(own.isLive()).isFalse();
  }
}
