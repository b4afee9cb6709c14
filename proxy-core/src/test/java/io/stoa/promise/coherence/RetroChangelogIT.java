// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What rests on the retro changelog of a 389-ds is given however old it is, and never wrong. */
class RetroChangelogIT {
  private static final Duration MAX_AGE = Duration.ofMillis(200);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  /** More than half the bound. */
  private static final Duration SLOW = Duration.ofMillis(700);

  private static Ds389WithFeed fed;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static final String MEMBER_OF = "cn=MemberOf Plugin,cn=plugins,cn=config";
  private static final String PLACE = "ou=place," + People.SUFFIX;

  @BeforeAll
  static void start() {
    fed =
        Ds389WithFeed.start(
            Ds389WithFeed.config(12).set(MEMBER_OF, "memberOfAutoAddOC", "posixAccount"),
            MAX_AGE,
            Duration.ofSeconds(1),
            one -> one.allow().written());
  }

  @AfterAll
  static void stop() {
    fed.close();
  }

  @Test
  void directChangesAreSeenWithinTheBound() throws Exception {
    try (LDAPConnection client = fed.client(1)) {
      fed.awaitHeldByFeed(client, "(uid=user.2)", "(l=Rome)", "(uid=user.5)", "(uid=user.9)");
      fed.awaitLive();
      assertThat(find(client, "(uid=user.2)", "uid", "l").getSearchEntries().get(0).getAttributes())
          .extracting(Attribute::getName)
          .containsExactlyInAnyOrder("uid", "l");
      fed.city(2, "Rome");
      seen(
          () ->
              "Rome".equals(value(client, "(uid=user.2)", "l"))
                  && find(client, "(l=Rome)", "uid", "l").getEntryCount() == 1);
      fed.root().delete(People.dn(5));
      seen(() -> find(client, "(uid=user.5)", "uid", "l").getEntryCount() == 0);
      fed.awaitHeldByFeed(client, "(uid=user.5)");
      fed.root().add(Ds389WithFeed.person(5));
      seen(() -> find(client, "(uid=user.5)", "uid", "l").getEntryCount() == 1);
      long changes = fed.report().feed().changes();
      for (int i = 0; i < 20; i++) {
        fed.city(8, "City " + i);
      }
      Await.until("these are told", () -> fed.report().feed().changes() >= changes + 20);
      assertThat(fed.isRemembered(() -> find(client, "(uid=user.9)", "uid", "l"))).isTrue();
      assertThat(fed.report().feed().gaps()).isZero();
      assertThat(log.warnings()).isEmpty();
    }
  }

  private static void seen(Callable<Boolean> change) {
    long written = System.nanoTime();
    Await.until("the change is seen", change);
    assertThat(System.nanoTime() - written).isLessThan(BOUND.toNanos());
  }

  @Test
  void subtreeRenamesAreSeenWithinTheBound() throws Exception {
    try (LDAPConnection client = fed.client(1)) {
      String placed = "uid=placed," + PLACE;
      String moved = "uid=placed,ou=moved," + People.SUFFIX;
      fed.awaitHeldByFeed(
          "the old name", () -> find(client, placed, SearchScope.BASE, "(uid=*)", "l"));
      fed.awaitHeldByFeed(
          "the new name", () -> find(client, moved, SearchScope.BASE, "(uid=*)", "l"));
      fed.root().modifyDN(PLACE, "ou=moved", true);
      seen(
          () ->
              find(client, placed, SearchScope.BASE, "(uid=*)", "l").getEntryCount() == 0
                  && find(client, moved, SearchScope.BASE, "(uid=*)", "l").getEntryCount() == 1);
      fed.awaitHeldByFeed("the name", () -> find(client, moved, SearchScope.BASE, "(uid=*)", "l"));
    }
  }

  /** 389-ds returns a reference for each entry that has one, whatever class the entry is of. */
  @Test
  void anEntryThatBecomesAReferenceIsSeenWithinTheBound() throws Exception {
    String[] filters = {"(uid=user.11)", "(st=unheard)", "(l=nowhere)", "(uid=user.3)"};
    try (LDAPConnection client = fed.client(1);
        LDAPConnection direct =
            SlapdWithFeed.connect(fed.server().address(), People.dn(1), People.PASSWORD)) {
      fed.awaitHeldByFeed(client, filters);
      fed.modify(
          People.dn(11),
          new Modification(ModificationType.ADD, "objectClass", "extensibleObject"),
          new Modification(ModificationType.ADD, "ref", "ldap://elsewhere.example.net/dc=net"));
      for (String filter : filters) {
        List<Integer> now = counts(direct, filter);
        seen(() -> counts(client, filter).equals(now));
      }
      fed.modify(People.dn(11), new Modification(ModificationType.REPLACE, "ref"));
      for (String filter : filters) {
        List<Integer> now = counts(direct, filter);
        seen(() -> counts(client, filter).equals(now));
      }
    }
  }

  /** How many entries and how many references there are. */
  private static List<Integer> counts(LDAPConnection who, String filter) {
    SearchResult result = find(who, filter, "uid", "l");
    return List.of(result.getEntryCount(), result.getReferenceCount());
  }

  @Test
  void ownWritesAreSeenAtOnce() throws Exception {
    try (LDAPConnection client = fed.client(3);
        LDAPConnection other = fed.client(4)) {
      fed.awaitHeldByFeed(other, "(uid=user.3)");
      for (int i = 0; i < 30; i++) {
        String name = "Town " + i;
        find(other, "(l=" + name + ")", "uid", "l");
        client.modify(People.dn(3), new Modification(ModificationType.REPLACE, "l", name));
        assertThat(value(client, "(uid=user.3)", "l")).isEqualTo(name);
        assertThat(value(other, "(uid=user.3)", "l")).isEqualTo(name);
        assertThat(find(other, "(l=" + name + ")", "uid", "l").getEntryCount()).isEqualTo(1);
      }
    }
  }

  /**
   * The feed reads no further than to a number that is missing: a long write keeps nothing back.
   */
  @Test
  void aSlowWriteDoesNotWidenTheLeaseMargin() throws Exception {
    try (LDAPConnection client = fed.client(7)) {
      fed.server().freeze();
      AsyncRequestID sent;
      try {
        Modification city = new Modification(ModificationType.REPLACE, "l", "Sparta");
        sent = client.asyncModify(new ModifyRequest(People.dn(7), city), null);
        long begun = System.nanoTime();
        Await.until("time has passed", () -> System.nanoTime() - begun > SLOW.toNanos());
      } finally {
        fed.server().thaw();
      }
      assertThat(sent.get().getResultCode()).isEqualTo(ResultCode.SUCCESS);
      assertThat(fed.report().marginNanos()).isLessThan(SLOW.toNanos());
      fed.awaitHeldByFeed(client, "(uid=user.9)");
    }
  }

  /** What is hidden from the account rests on its age; so does all that may show it. */
  @Test
  void entriesHiddenFromTheAccountExpireByAge() throws Exception {
    try (LDAPConnection client = fed.client(1)) {
      fed.awaitHeldByFeed(client, "(uid=user.3)");
      long unverified = fed.report().domain().unverified();
      String hidden = "uid=hidden," + Ds389WithFeed.HIDDEN;
      Await.until(
          "it is known to be hidden",
          () -> {
            find(client, hidden, SearchScope.BASE, "(uid=*)", "l");
            return fed.report().domain().unverified() > unverified;
          });
      fed.modify(hidden, new Modification(ModificationType.REPLACE, "l", "Athens"));
      Await.until(
          "the change is seen",
          () ->
              find(client, hidden, SearchScope.BASE, "(l=Athens)", "l").getEntryCount() == 1
                  && find(client, hidden, SearchScope.BASE, "(uid=*)", "l")
                      .getSearchEntries()
                      .get(0)
                      .hasAttributeValue("l", "Athens"));
    }
  }

  /** It is cut off, and goes on. What no record tells of makes all void: also what is imported. */
  @Test
  void aFeedResumesAfterACutUnlessARecordMayBeMissing() throws Exception {
    try (Ds389WithFeed own =
        Ds389WithFeed.start(
            Ds389WithFeed.config(6),
            Duration.ofMillis(400),
            Duration.ofSeconds(1),
            one -> one.allow().written().remote())) {
      goesOn(own);
      fewAtATime(own);
      imported(own);
      Await.until("the last record is read", () -> own.isCovered(own.counted()));
      long gaps = own.report().domain().gaps();
      own.root().delete("changenumber=" + own.counted() + ",cn=changelog");
      own.city(3, "Berlin");
      Await.until("it begins anew", () -> own.report().domain().gaps() > gaps);
      startedAgain(own);
      assertThat(log.warningsOf("FeedStats")).isNotEmpty();
    }
  }

  private static void goesOn(Ds389WithFeed own) throws Exception {
    try (LDAPConnection client = own.client(1)) {
      own.awaitHeldByFeed(client, "(uid=user.3)", "(uid=user.4)");
    }
    own.cut();
    own.city(3, "Athens");
    own.awaitLive();
    try (LDAPConnection client = own.client(1)) {
      seen(() -> "Athens".equals(value(client, "(uid=user.3)", "l")));
      assertThat(own.isRemembered(() -> find(client, "(uid=user.4)", "uid", "l")))
          .as("%s", own.report())
          .isTrue();
    }
    assertThat(own.report().feed().gaps()).isZero();
  }

  private static void fewAtATime(Ds389WithFeed own) {
    own.modify(Ds389WithFeed.FEED, new Modification(ModificationType.REPLACE, "nsSizeLimit", "3"));
    own.cut();
    for (int i = 0; i < 30; i++) {
      own.city(2, "Place " + i);
    }
    Await.until("all is told", () -> own.isCovered(own.counted()));
    assertThat(own.report().feed().gaps()).isZero();
    own.modify(Ds389WithFeed.FEED, new Modification(ModificationType.REPLACE, "nsSizeLimit", "-1"));
    own.cut();
    own.awaitLive();
  }

  private static void imported(Ds389WithFeed own) throws Exception {
    Path file = Leftovers.directory("stoa-ldif").resolve("all.ldif");
    own.whole("export", file);
    try (LDAPConnection client = own.client(1)) {
      own.city(4, "Cairo");
      seen(() -> "Cairo".equals(value(client, "(uid=user.4)", "l")));
      own.awaitHeldByFeed(client, "(uid=user.4)");
    }
    own.whole("import", file);
    try (LDAPConnection client = own.client(1)) {
      seen(() -> "nowhere".equals(value(client, "(uid=user.4)", "l")));
    }
    assertThat(own.report().feed().gaps()).isPositive();
    own.awaitLive();
    Leftovers.delete(file.getParent());
  }

  private static void startedAgain(Ds389WithFeed own) throws Exception {
    own.awaitLive();
    long gaps = own.report().domain().gaps();
    own.server().stop();
    own.server().restart();
    own.connect();
    Await.until("it begins anew", () -> own.report().domain().gaps() > gaps);
    own.awaitLive();
    own.proxy().awaitUp();
    own.city(4, "Delhi");
    try (LDAPConnection client = own.client(1)) {
      seen(() -> "Delhi".equals(value(client, "(uid=user.4)", "l")));
    }
  }

  /** The server counts what it then gives up, and uses the number again. */
  @Test
  void anAbortedWriteUsesUpNoChangeNumber() throws Exception {
    try (LDAPConnection client = fed.client(1)) {
      fed.awaitHeldByFeed(client, "(uid=user.3)");
      for (int i = 0; i < 5; i++) {
        long before = fed.counted();
        assertThatThrownBy(
                () ->
                    fed.root()
                        .modify(
                            Ds389WithFeed.GROUP,
                            new Modification(ModificationType.ADD, "member", Ds389WithFeed.HIDDEN)))
            .isInstanceOf(LDAPException.class);
        assertThat(fed.counted()).isEqualTo(before + 1);
        long misses = fed.proxy().cache().filterMisses();
        fed.awaitHeldByFeed(client, "(uid=user.4)");
        fed.city(3, "City " + i);
        String name = "City " + i;
        seen(() -> name.equals(value(client, "(uid=user.3)", "l")));
        assertThat(fed.counted()).isEqualTo(before + 1);
        assertThat(fed.proxy().cache().filterMisses()).isGreaterThan(misses);
      }
      assertThat(fed.report().feed().gaps()).isZero();
    }
  }

  @Test
  void aMissingChangelogIsReportedWithItsRemedy() {
    try (Ds389WithFeed own =
        Ds389WithFeed.start(Ds389WithFeed.stock(2), MAX_AGE, Duration.ofSeconds(1), one -> {})) {
      awaitReason(own, "enable cn=Retro Changelog Plugin");
    }
    try (Ds389WithFeed own =
        Ds389WithFeed.start(
            Ds389WithFeed.config(2)
                .set(Ds389WithFeed.CHANGELOG, "nsslapd-attribute", "nsuniqueid:other"),
            MAX_AGE,
            Duration.ofSeconds(1),
            one -> one.password(Ds389WithFeed.WRONG).written())) {
      awaitReason(own, "invalid credentials");
      assertThat(own.report().feed().why()).doesNotContain(Ds389WithFeed.WRONG);
      own.rightPassword();
      awaitReason(own, "an aci on cn=changelog");
      own.allow();
      awaitReason(own, "nsslapd-attribute: nsuniqueid:targetUniqueId");
    }
    assertThat(log.warnings()).hasSize(2).noneMatch(line -> line.contains(Ds389WithFeed.WRONG));
  }

  /** Nobody would notice a restart or an import, and all would be shown as it was. */
  @Test
  void aFeedIsRefusedIfARestartOrImportCannotBeDetected() throws Exception {
    try (Ds389WithFeed own =
        Ds389WithFeed.start(
            Ds389WithFeed.config(6),
            MAX_AGE,
            Duration.ofSeconds(1),
            one -> one.monitor(Ds389WithFeed.OTHERS).allow().written().remote())) {
      awaitReason(own, "read startTime of cn=monitor");
      own.monitor(Ds389WithFeed.ALLOW);
      own.awaitLive();
      own.nameless(ModificationType.ADD);
      awaitReason(own, "cannot read nsUniqueId of " + People.SUFFIX);
      try (LDAPConnection client = own.client(1)) {
        assertThat(find(client, "(uid=user.3)", "uid", "l").getEntryCount()).isEqualTo(1);
        own.city(3, "Oslo");
        seen(() -> "Oslo".equals(value(client, "(uid=user.3)", "l")));
      }
      own.nameless(ModificationType.DELETE);
      own.awaitLive();
      assertThat(own.report().feed().gaps()).isEqualTo(1); // it might have been an import
    }
  }

  private static void awaitReason(Ds389WithFeed own, String what) {
    Await.until(
        "it says " + what,
        () -> {
          List<DomainReport> feeds = own.proxy().status().feeds();
          return !feeds.isEmpty() && feeds.get(0).feed().why().contains(what);
        });
  }
}
