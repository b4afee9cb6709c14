// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What slapd really says in a sync search: docs/decisions/0010 tells it in words, and the session
 * is made for it.
 */
class SyncReplIT {
  private static final String LOG = "syncprov-sessionlog 1000";
  private static final String AGAIN = "again 0 gone";

  /** Of an aborted transaction slapd 2.5 dies now and then: then nothing is proved. */
  private static final int TRIES = 5;

  @Test
  void aSearchFromWhereTheServerIsDownloadsNothing() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG)) {
      assertThat(directory.position().isEmpty()).isFalse();
      try (Transcript search = Transcript.begin(directory, directory.position())) {
        search.await("refreshDone");
        assertThat(search.lines()).containsExactly("REFRESH_DELETE refreshDone");
      }
    }
  }

  @Test
  void aSearchFromThePositionDownloadsNothingWithoutALog() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start();
        Transcript search = Transcript.begin(directory, directory.position())) {
      search.await("refreshDone");
      assertThat(search.lines()).containsExactly("REFRESH_DELETE refreshDone");
    }
  }

  @Test
  void changesAreReportedOneByOne() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Transcript search = Transcript.live(directory)) {
      directory.person("cn=b,ou=p,dc=x", "b");
      directory.sn("cn=b,ou=p,dc=x", "c");
      directory.admin().modifyDN("cn=b,ou=p,dc=x", "cn=c", true);
      directory.admin().delete("cn=c,ou=p,dc=x");
      search.await("DELETE");
      assertThat(search.lines())
          .containsExactly(
              "ADD cn=b,ou=p,dc=x sn=b hasSubordinates=FALSE cookie",
              "MODIFY cn=b,ou=p,dc=x sn=c hasSubordinates=FALSE cookie",
              "MODIFY cn=c,ou=p,dc=x sn=c hasSubordinates=FALSE cookie",
              "DELETE cn=c,ou=p,dc=x cookie");
      assertThat(search.cookie()).isEqualTo(directory.position());
    }
  }

  @Test
  void aSubtreeThatIsRenamedIsOneMessage() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Transcript search = Transcript.live(directory)) {
      directory.admin().modifyDN("ou=p,dc=x", "ou=q", true);
      directory.sn("cn=a,ou=q,dc=x", "end");
      search.await("end");
      assertThat(search.lines())
          .containsExactly(
              "MODIFY ou=q,dc=x hasSubordinates=TRUE cookie",
              "MODIFY cn=a,ou=q,dc=x sn=end hasSubordinates=FALSE cookie");
    }
  }

  /** What was not shown when it began to persist is told by that. */
  @Test
  void aSecondRefreshReportsTheChangesAgain() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Transcript search = Transcript.live(directory)) {
      directory.person("cn=b,ou=p,dc=x", "b");
      directory.sn("cn=a,ou=p,dc=x", "c");
      directory.admin().delete("cn=b,ou=p,dc=x");
      search.await("DELETE");
      search.again();
      search.await(AGAIN);
      assertThat(search.lines())
          .endsWith(
              "SYNC_ID_SET gone 1 cookie", "ADD cn=a,ou=p,dc=x sn=c hasSubordinates=FALSE", AGAIN);
      directory.sn("cn=a,ou=p,dc=x", "d");
      search.await("sn=d");
    }
  }

  @Test
  void aSecondRefreshWithoutChangesReportsNothing() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Transcript search = Transcript.live(directory)) {
      search.again();
      search.await(AGAIN);
      assertThat(search.lines()).containsExactly(AGAIN);
    }
  }

  /** It is started again before it is asked for more. */
  @Test
  void anAbortedTransactionIsReported() throws Exception {
    boolean lived = false;
    for (int left = TRIES; left > 0 && !lived; left--) {
      try (FeedDirectory directory = FeedDirectory.start(LOG)) {
        lived = isAbortedTransactionReported(directory);
        directory.restart();
        assertThat(directory.admin().getEntry("cn=a,ou=p,dc=x").getAttributeValue("sn"))
            .isEqualTo("old");
      }
    }
    assertThat(lived).isTrue();
  }

  /** Whether slapd has lived long enough to tell that. */
  private static boolean isAbortedTransactionReported(FeedDirectory directory) throws Exception {
    try {
      assertAbortedTransactionIsReported(directory);
      return true;
    } catch (LDAPException | AssertionError e) {
      if (directory.slapd().hasEnded()) {
        return false;
      }
      throw e;
    }
  }

  private static void assertAbortedTransactionIsReported(FeedDirectory directory) throws Exception {
    try (Transcript search = Transcript.live(directory)) {
      Cookie before = directory.position();
      StartTransactionExtendedResult begun =
          (StartTransactionExtendedResult)
              directory.admin().processExtendedOperation(new StartTransactionExtendedRequest());
      TransactionSpecificationRequestControl within =
          new TransactionSpecificationRequestControl(begun.getTransactionID());
      for (String dn : List.of("cn=a,ou=p,dc=x", "cn=missing,dc=x")) {
        ModifyRequest modify =
            new ModifyRequest(dn, new Modification(ModificationType.REPLACE, "sn", "PHANTOM"));
        modify.addControl(within);
        directory.admin().modify(modify);
      }
      assertThat(
              directory
                  .admin()
                  .processExtendedOperation(
                      new EndTransactionExtendedRequest(begun.getTransactionID(), true))
                  .getResultCode()
                  .intValue())
          .isEqualTo(32);
      search.await("PHANTOM");
      assertThat(search.lines())
          .filteredOn(line -> !line.startsWith("lost"))
          .containsExactly("MODIFY cn=a,ou=p,dc=x sn=PHANTOM hasSubordinates=FALSE cookie");
      assertThat(search.cookie()).isNotEqualTo(before);
    }
  }

  @Test
  void writesOfOverlayMemberofAreNotReported() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG, "overlay memberof");
        Transcript search = Transcript.live(directory)) {
      directory.add("cn=g,dc=x", "objectClass: groupOfNames", "cn: g", "member: cn=a,ou=p,dc=x");
      assertThat(
              directory
                  .admin()
                  .getEntry("cn=a,ou=p,dc=x", "memberOf")
                  .getAttributeValue("memberOf"))
          .isEqualTo("cn=g,dc=x");
      directory.person("cn=end,dc=x", "end");
      search.await("end");
      assertThat(search.lines())
          .containsExactly(
              "ADD cn=g,dc=x hasSubordinates=FALSE cookie",
              "ADD cn=end,dc=x sn=end hasSubordinates=FALSE cookie");
    }
  }

  /**
   * What an account cannot see, and neither can after the change, moves the position now and then.
   * But an entry that it sees and that is moved to where it does not is not told of at all, and
   * neither is the position that this has: an account of a feed must see everything.
   */
  @Test
  void entriesHiddenFromTheAccountAreNotReported() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG)) {
      directory.person("cn=m,dc=x", "0");
      try (Transcript search = Transcript.live(directory)) {
        directory.sn("cn=h,ou=hidden,dc=x", "new");
        directory.sn("cn=m,dc=x", "modified");
        directory.person("cn=b,ou=hidden,dc=x", "b");
        directory.sn("cn=m,dc=x", "added");
        directory.admin().modifyDN("cn=a,ou=p,dc=x", "cn=a", true, "ou=hidden,dc=x");
        directory.sn("cn=m,dc=x", "moved-in");
        directory.admin().modifyDN("cn=a,ou=hidden,dc=x", "cn=a", true, "ou=p,dc=x");
        directory.sn("cn=m,dc=x", "moved-out");
        directory.admin().delete("cn=h,ou=hidden,dc=x");
        directory.sn("cn=m,dc=x", "deleted");
        search.await("=deleted");
        assertThat(search.lines())
            .containsExactly(
                "NEW_COOKIE cookie",
                "MODIFY cn=m,dc=x sn=modified hasSubordinates=FALSE cookie",
                "NEW_COOKIE cookie",
                "MODIFY cn=m,dc=x sn=added hasSubordinates=FALSE cookie",
                "MODIFY cn=m,dc=x sn=moved-in hasSubordinates=FALSE cookie",
                "ADD cn=a,ou=p,dc=x sn=old hasSubordinates=FALSE cookie",
                "MODIFY cn=m,dc=x sn=moved-out hasSubordinates=FALSE cookie",
                "MODIFY cn=m,dc=x sn=deleted hasSubordinates=FALSE cookie");
      }
    }
  }

  /** The log holds what the search did not tell: whatever the account cannot see has gone. */
  @Test
  void aResumedSearchReportsHiddenEntriesAsDeleted() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG)) {
      directory.person("cn=b,ou=p,dc=x", "b");
      Cookie from = directory.position();
      directory.admin().delete("cn=h,ou=hidden,dc=x");
      try (Transcript search = Transcript.begin(directory, from)) {
        search.await("refreshDone");
        assertThat(search.lines())
            .containsExactly("SYNC_ID_SET gone 1 cookie", "REFRESH_DELETE refreshDone cookie");
        assertThat(search.cookie()).isEqualTo(directory.position());
      }
      from = directory.position();
      directory.admin().modifyDN("cn=a,ou=p,dc=x", "cn=a", true, "ou=hidden,dc=x");
      try (Transcript search = Transcript.begin(directory, from)) {
        search.await("refreshDone");
        assertThat(search.lines())
            .containsExactly("SYNC_ID_SET gone 1 cookie", "REFRESH_DELETE refreshDone cookie");
        assertThat(search.cookie()).isEqualTo(directory.position());
      }
    }
  }

  @Test
  void theLogReportsChangesMissedDuringACut() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG)) {
      assertThat(eventsMissed(directory, false))
          .containsExactly(
              "SYNC_ID_SET gone 1 cookie",
              "ADD cn=a,ou=p,dc=x sn=new hasSubordinates=FALSE",
              "ADD cn=c,ou=p,dc=x sn=c hasSubordinates=FALSE",
              "REFRESH_DELETE refreshDone cookie");
    }
  }

  @Test
  void presentEntriesAreReportedWithoutALog() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start()) {
      assertThat(eventsMissed(directory, false))
          .containsExactly(
              "SYNC_ID_SET 5",
              "ADD cn=a,ou=p,dc=x sn=new hasSubordinates=FALSE",
              "ADD cn=c,ou=p,dc=x sn=c hasSubordinates=FALSE",
              "REFRESH_PRESENT refreshDone cookie");
    }
  }

  @Test
  void theLogEndsWithTheServer() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG)) {
      assertThat(eventsMissed(directory, true))
          .containsExactly(
              "SYNC_ID_SET 5",
              "ADD cn=a,ou=p,dc=x sn=new hasSubordinates=FALSE",
              "ADD cn=c,ou=p,dc=x sn=c hasSubordinates=FALSE",
              "REFRESH_PRESENT refreshDone cookie");
    }
  }

  @Test
  void presentEntriesAreReportedAfterARestartWithoutALog() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start()) {
      assertThat(eventsMissed(directory, true))
          .containsExactly(
              "SYNC_ID_SET 5",
              "ADD cn=a,ou=p,dc=x sn=new hasSubordinates=FALSE",
              "ADD cn=c,ou=p,dc=x sn=c hasSubordinates=FALSE",
              "REFRESH_PRESENT refreshDone cookie");
    }
  }

  /** Adds, changes and deletes while nobody listens. */
  private static List<String> eventsMissed(FeedDirectory directory, boolean restart)
      throws Exception {
    Cookie from;
    try (Transcript search = Transcript.live(directory)) {
      directory.person("cn=b,ou=p,dc=x", "b");
      search.await("cn=b");
      from = search.cookie();
    }
    directory.sn("cn=a,ou=p,dc=x", "new");
    directory.admin().delete("cn=b,ou=p,dc=x");
    directory.person("cn=c,ou=p,dc=x", "c");
    if (restart) {
      directory.restart();
    }
    try (Transcript search = Transcript.begin(directory, from)) {
      search.await("refreshDone");
      assertThat(search.cookie()).isEqualTo(directory.position());
      return search.lines();
    }
  }

  @Test
  void aCookieFromTheFutureIsRefused() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Transcript search =
            Transcript.begin(
                directory, Cookie.of(List.of("20990101000000.000000Z#000000#000#000000")))) {
      search.await("done");
      assertThat(search.lines()).containsExactly("done 53 consumer state is newer than provider!");
    }
  }

  @Test
  void aServerIdThatTheServerDoesNotKnowIsIgnored() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Transcript search =
            Transcript.begin(
                directory,
                directory
                    .position()
                    .merge(Cookie.of(List.of("20200101000000.000000Z#000000#007#000000"))))) {
      search.await("refreshDone");
      assertThat(search.lines()).containsExactly("REFRESH_DELETE refreshDone");
    }
  }

  @Test
  void aServerThatIsKilledIsLost() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Transcript search = Transcript.live(directory)) {
      directory.slapd().kill();
      search.await("lost");
      assertThat(search.lines()).hasSize(1);
      directory.restart();
    }
  }

  @Test
  void aStoppedServerEndsTheSearch() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Transcript search = Transcript.live(directory)) {
      directory.slapd().stop();
      search.await("lost");
      assertThat(search.lines()).hasSize(1);
      directory.restart();
    }
  }
}
