// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.Cookie;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.Mode;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.feed.syncrepl.FeedSupervisor;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.feed.syncrepl.SyncReplFeed;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.testing.Await;
import io.stoa.testing.DeafSink;
import io.stoa.testing.Ldif;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** By itself a feed takes the accesslog where the database offers no sync searches. */
class FeedKindChoiceIT {
  private static final String SUFFIX = "dc=x";
  private static final String ENTRY = "cn=a," + SUFFIX;

  private static final String CONSUMER =
      """
      syncrepl rid=001
        provider=ldap://127.0.0.1:%d
        bindmethod=simple
        binddn="cn=admin,dc=x"
        credentials=secret
        searchbase="dc=x"
        type=refreshAndPersist
        retry="1 +"
      updateref ldap://127.0.0.1:%d
      overlay accesslog
      logdb cn=log
      logsuccess TRUE
      logops writes
      """;

  private final List<Change> changes = new CopyOnWriteArrayList<>();
  private final FeedSink sink =
      new DeafSink() {
        @Override
        public void onChange(Change change) {
          changes.add(change);
        }
      };

  @TempDir Path directory;

  private static Ldif tree() {
    return new Ldif()
        .entry(SUFFIX, "objectClass: organization", "objectClass: dcObject", "dc: x", "o: x")
        .entry(ENTRY, "objectClass: person", "cn: a", "sn: old");
  }

  static SyncContext syncContext() {
    return new SyncContext(
        SUFFIX,
        100,
        type -> false,
        new SyncContext.Rules() {
          @Override
          public NormalDn name(byte[] dn) {
            return NormalDn.of(dn, ServerProfile.EXACT);
          }

          @Override
          public Image image(SearchEntry entry) {
            return Image.of(entry, true, ServerProfile.EXACT);
          }
        },
        System::nanoTime);
  }

  private FeedSupervisor feed(Slapd slapd) throws Exception {
    return feed(slapd, SUFFIX);
  }

  private FeedSupervisor feed(Slapd slapd, String suffix) throws Exception {
    Path password = Files.writeString(directory.resolve("password" + slapd.port()), "secret\n");
    FeedConfig config =
        new FeedConfig(
            Mode.AUTO,
            "cn=admin,dc=x",
            password,
            List.of(),
            Duration.ofMillis(200),
            100,
            "",
            FeedConfig.Restarts.GAP);
    FeedCredentials account = new FeedCredentials("cn=admin,dc=x", password);
    Duration second = Duration.ofSeconds(1);
    FeedSupervisor.Config how =
        new FeedSupervisor.Config(
            suffix,
            account,
            second,
            config.keepAlive(),
            Duration.ofMinutes(1),
            10_000_000,
            new FeedStats.Bounds(second, second));
    FeedServer server = FeedServer.tcp("slapd", "127.0.0.1", slapd.port(), null);
    SyncContext terms = syncContext();
    FeedSupervisor feed =
        new SyncReplFeed(
            how, terms, () -> List.of(server), sink, new LogOrigin(config, terms, suffix));
    feed.start();
    return feed;
  }

  private static LDAPConnection bound(Slapd slapd) throws LDAPException {
    return new LDAPConnection("127.0.0.1", slapd.port(), "cn=admin,dc=x", "secret");
  }

  private static Position counted(Slapd slapd) throws LDAPException {
    try (LDAPConnection connection = bound(slapd)) {
      SearchResultEntry suffix = connection.getEntry(SUFFIX, "contextCSN");
      String[] csns = suffix == null ? null : suffix.getAttributeValues("contextCSN");
      return csns == null ? Position.NONE : Cookie.of(List.of(csns)).position(SUFFIX);
    }
  }

  private static void change(Slapd primary, String value) throws LDAPException {
    try (LDAPConnection connection = bound(primary)) {
      connection.modify(ENTRY, new Modification(ModificationType.REPLACE, "sn", value));
    }
  }

  private static SlapdConfig replica(int primary) {
    String logs = "access to * by * read\noverlay syncprov\nsyncprov-nopresent TRUE\n";
    return SlapdConfig.stock()
        .module("syncprov")
        .module("accesslog")
        .database("cn=log", logs + "syncprov-reloadhint TRUE\n", new Ldif())
        .database(SUFFIX, CONSUMER.formatted(primary, primary), tree());
  }

  @Test
  void takesTheLogOfAReplicaAndTheDatabaseOfAPrimary() throws Exception {
    String syncprov = "overlay syncprov\nsyncprov-sessionlog 100\n";
    SlapdConfig primaries = SlapdConfig.stock().module("syncprov");
    try (Slapd primary = Slapd.start(primaries.database(SUFFIX, syncprov, tree()));
        Slapd replica = Slapd.start(replica(primary.port()))) {
      change(primary, "begun");
      Await.until("it is replicated", () -> counted(replica).equals(counted(primary)));
      change(primary, "logged");
      Await.until("it is replicated", () -> counted(replica).equals(counted(primary)));
      try (FeedSupervisor feed = feed(primary)) {
        Await.until("it is live", () -> feed.status().phase() == Phase.LIVE);
        assertThat(feed.kind()).isEqualTo(FeedKind.SYNCREPL);
      }
      try (FeedSupervisor feed = feed(replica)) {
        Await.until("it is live", () -> feed.status().phase() == Phase.LIVE);
        assertThat(feed.kind()).isEqualTo(FeedKind.ACCESSLOG);
        change(primary, "new");
        Await.until("it is told", () -> !changes.isEmpty());
        Change told = changes.get(0); // what it looks like may not have been there to be read yet
        assertThat(told).isInstanceOf(Change.Modified.class);
        assertThat(told.dn())
            .isEqualTo(syncContext().rules().name(ENTRY.getBytes(StandardCharsets.UTF_8)));
        // A replica counts a change a moment after it has made it.
        Await.until("it is counted", () -> counted(replica).equals(counted(primary)));
        List<Position> proved = new CopyOnWriteArrayList<>();
        feed.requestPosition(proved::add);
        Await.until("it is proved", () -> proved.contains(feed.status().position()));
        assertThat(proved).containsExactly(counted(primary));
      }
      try (FeedSupervisor feed = feed(replica, "cn=log")) {
        Await.until("it says so", () -> feed.status().why().contains("is an accesslog"));
        assertThat(feed.status().phase()).isNotEqualTo(Phase.LIVE);
      }
    }
  }
}
