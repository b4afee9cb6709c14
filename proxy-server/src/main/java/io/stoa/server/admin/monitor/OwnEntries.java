// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.maintenance.MaintenanceStatus.Verification;
import io.stoa.cache.result.CacheStats;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.invalidation.DomainStatus;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.feed.syncrepl.FeedStatus;
import io.stoa.server.localtree.TreeEntry;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Entries below {@code cn=monitor} that only Stoa has: caches, sharing classes, cache maintenance,
 * change feeds and write windows. Threading: confined to the thread that builds the answer.
 */
final class OwnEntries {
  private static final String ROOT = "cn=Monitor";

  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  OwnEntries(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  void add() {
    TreeEntry caches = entries.add("Caches", ROOT, "stoaCaches");
    filterCache(caches, snapshot.cache());
    otherCaches(caches, snapshot.cache());
    if (snapshot.showsClients()) {
      caches.setActions(snapshot.offers().caches());
    }
    String feeds = container("Feeds", "Change feeds of the naming contexts.");
    if (snapshot.showsServers()) {
      addFeeds(feeds);
    }
    TreeEntry upkeep = entries.add("Upkeep", ROOT, "stoaUpkeep");
    maintenanceCounters(upkeep, snapshot.status().upkeep());
    if (snapshot.showsClients()) {
      upkeep.setActions(snapshot.offers().upkeep());
    }
    if (snapshot.showsServers() && !snapshot.cache().classes().isEmpty()) {
      sharingClasses();
    }
    String windows = container("Windows", "Write windows.");
    if (snapshot.showsServers()) {
      addWindows(windows);
    }
  }

  private String container(String name, String description) {
    return entries.add(name, ROOT, "monitorContainer", description).dn();
  }

  private void sharingClasses() {
    String classes = container("Sharing classes", "Sharing classes of identities.");
    snapshot
        .cache()
        .classes()
        .forEach(one -> add(one, entries.add(one.name(), classes, "stoaSharingClass")));
  }

  private void addWindows(String parent) {
    snapshot
        .status()
        .windows()
        .forEach(window -> add(window, entries.add(window.config().name(), parent, "stoaWindow")));
  }

  private static void filterCache(TreeEntry entry, CacheStats cache) {
    bool(entry, "stoaCacheEnabled", cache.enabled());
    number(entry, "stoaFilterCacheCurrent", cache.filterCurrent());
    number(entry, "stoaFilterCacheSize", cache.filterSize());
    number(entry, "stoaFilterCacheHits", cache.filterHits());
    number(entry, "stoaFilterCacheMisses", cache.filterMisses());
    number(entry, "stoaFilterCacheBypassed", cache.bypassed());
    number(entry, "stoaEntryCacheCurrent", cache.entryCurrent());
    number(entry, "stoaEntryCacheSize", cache.entrySize());
    number(entry, "stoaEntryCacheHits", cache.entryHits());
    number(entry, "stoaEntryCacheMisses", cache.entryMisses());
  }

  private void otherCaches(TreeEntry entry, CacheStats cache) {
    number(entry, "stoaCompareHits", cache.compareHits());
    number(entry, "stoaCompareMisses", cache.compareMisses());
    bool(entry, "stoaAclCache", cache.aclCache());
    number(entry, "stoaAclCacheSize", cache.aclSize());
    number(entry, "stoaAclCacheCurrent", cache.aclCurrent());
    number(entry, "stoaCacheBytes", cache.bytes());
    number(entry, "stoaCacheMaxBytes", cache.maxBytes());
    number(entry, "stoaCacheEvictions", cache.evictions());
    number(entry, "stoaCacheInvalidations", cache.invalidations());
    number(entry, "stoaCacheStale", cache.staleServed());
    number(entry, "stoaCacheJoined", cache.joined());
    number(entry, "stoaCacheFills", snapshot.status().fillsInFlight());
  }

  private void addFeeds(String parent) {
    for (DomainReport feed : snapshot.status().feeds()) {
      TreeEntry entry = entries.add(feed.context(), parent, "stoaFeed");
      feed(entry, feed);
      feedCounters(entry, feed.domain());
    }
    for (FeedAbsence none : snapshot.status().withoutFeed()) {
      TreeEntry entry = entries.add(none.name(), parent, "stoaFeed");
      entry.operational("stoaFeedMode", "none").operational("stoaFeedReason", none.why());
      number(entry, "stoaFeedBound", none.bound().toMillis());
    }
  }

  private static void feed(TreeEntry entry, DomainReport report) {
    FeedStatus feed = report.feed();
    entry
        .operational("stoaFeedMode", report.mode())
        .operational("stoaFeedPhase", word(feed.phase()))
        .operational("stoaFeedState", report.state());
    text(entry, "stoaFeedServer", feed.server());
    text(entry, "stoaFeedReason", report.reason());
    text(entry, "stoaFeedCoverage", report.coverage());
    long age = report.leaseAgeNanos();
    if (age >= 0) {
      number(entry, "stoaFeedLeaseAge", TimeUnit.NANOSECONDS.toMillis(age));
    }
    number(entry, "stoaFeedBound", report.bound().toMillis());
    number(entry, "stoaFeedMargin", TimeUnit.NANOSECONDS.toMillis(report.marginNanos()));
    number(entry, "stoaFeedConnects", feed.connects());
    number(entry, "stoaFeedRevocations", report.revocations());
    number(entry, "stoaFeedDerivations", report.derivations());
  }

  private static void feedCounters(TreeEntry entry, DomainStatus domain) {
    entry.operational(
        "stoaFeedPosition",
        domain.covered().marks().values().stream().sorted().toArray(String[]::new));
    number(entry, "stoaFeedChanges", domain.changes());
    number(entry, "stoaFeedDuplicates", domain.duplicates());
    number(entry, "stoaFeedGaps", domain.gaps());
    number(entry, "stoaFeedMisses", domain.missedChanges());
    number(entry, "stoaFeedFills", domain.fills());
    number(entry, "stoaFeedViews", domain.views());
    number(entry, "stoaFeedUnverified", domain.unverified());
    number(entry, "stoaFeedUpdates", domain.updates());
    number(entry, "stoaFeedChangesAborted", domain.abortedChanges());
    number(entry, "stoaFeedVerifications", domain.entriesRead());
    number(entry, "stoaFeedEvaluations", domain.evaluations());
    number(entry, "stoaFeedUnknown", domain.unknown());
    number(entry, "stoaFeedIncoherent", domain.mismatches());
    number(entry, "stoaFeedRing", domain.ringSize());
    number(entry, "stoaFeedRingSpan", TimeUnit.NANOSECONDS.toSeconds(domain.ringNanos()));
    entry.operational("stoaFeedRefused", causes(domain.refusals()));
    entry.operational("stoaFeedInvalidations", causes(domain.invalidations()));
  }

  private static String[] causes(Map<? extends Enum<?>, Long> counts) {
    return counts.entrySet().stream()
        .map(one -> word(one.getKey()) + " " + one.getValue())
        .toArray(String[]::new);
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  private static void text(TreeEntry entry, String name, String value) {
    if (!value.isEmpty()) {
      entry.operational(name, value);
    }
  }

  private static void maintenanceCounters(TreeEntry entry, MaintenanceStatus upkeep) {
    number(entry, "stoaRefreshes", upkeep.refills());
    number(entry, "stoaRefreshesDropped", upkeep.refillsDropped());
    number(entry, "stoaRefreshesWithoutClient", upkeep.refillsWithoutClient());
    number(entry, "stoaAuditVerified", upkeep.verified());
    number(entry, "stoaAuditUnverifiable", upkeep.unverifiable());
    number(entry, "stoaAuditUndecided", upkeep.undecided());
    number(entry, "stoaAuditIncoherent", upkeep.incoherent());
    List<String> behind = new ArrayList<>();
    for (int i = 0; i < upkeep.staleness().size(); i++) {
      boolean last = i == MaintenanceStatus.STALENESS.size();
      behind.add(
          (last ? "more" : MaintenanceStatus.STALENESS.get(i)) + " " + upkeep.staleness().get(i));
    }
    entry.operational("stoaAuditBehind", behind.toArray(String[]::new));
    Verification last = upkeep.verification();
    entry.operational("stoaVerifyState", word(last.state()));
    number(entry, "stoaVerifyNumber", last.number());
    number(entry, "stoaVerifyResults", last.results());
    number(entry, "stoaVerifyVerified", last.verified());
    number(entry, "stoaVerifyDiffering", last.differing());
    number(entry, "stoaVerifyUnverifiable", last.unverifiable());
    number(entry, "stoaVerifyAlone", last.withoutClient());
  }

  private static void add(ClassStatus status, TreeEntry entry) {
    bool(entry, "stoaSharingClassUniform", status.uniform());
    bool(entry, "stoaSharingClassDemoted", status.demoted());
    number(entry, "stoaSharingClassMembers", status.members());
    number(entry, "stoaSharingClassSuspended", status.suspended());
    number(entry, "stoaSharingClassGroupsUnknown", status.groupsUnknown());
    number(entry, "stoaSharingClassHits", status.hits());
    number(entry, "stoaSharingClassSamples", status.samples());
    number(entry, "stoaSharingClassDifferences", status.differences());
    number(entry, "stoaSharingClassDemotions", status.demotions());
  }

  private void add(WindowStatus window, TreeEntry entry) {
    WindowConfig config = window.config();
    if (config.subtree() != null) {
      entry.operational("stoaWindowSubtree", config.subtree());
    }
    if (config.identity() != null && snapshot.showsClients()) {
      entry.operational("stoaWindowIdentity", config.identity());
    }
    number(entry, "stoaWindowEvery", config.every().toMillis());
    number(entry, "stoaWindowMaxOperations", config.maxOperations());
    entry
        .operational("stoaWindowBatch", config.batch().name().toLowerCase(Locale.ROOT))
        .operational("stoaWindowState", state(window));
    number(entry, "stoaWindowWaiting", window.waiting());
    number(entry, "stoaWindowClosed", window.closed());
    number(entry, "stoaWindowOperations", window.operations());
    number(entry, "stoaWindowTransactional", window.transactional());
    number(entry, "stoaWindowAborted", window.aborted());
    number(entry, "stoaWindowDropped", window.dropped());
    if (snapshot.showsClients()) {
      entry.setActions(snapshot.offers().window(config.name()));
    }
  }

  private static String state(WindowStatus window) {
    if (window.bursting()) {
      return "sending";
    }
    return window.paused() ? "passing" : "open";
  }

  private static void number(TreeEntry entry, String name, long value) {
    entry.operational(name, Long.toString(value));
  }

  private static void bool(TreeEntry entry, String name, boolean value) {
    entry.operational(name, value ? "TRUE" : "FALSE");
  }
}
