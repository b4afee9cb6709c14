// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.maintenance.MaintenanceStatus.FullAuditStatus;
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
    TreeEntry maintenance = entries.add("Maintenance", ROOT, "stoaMaintenance");
    maintenanceCounters(maintenance, snapshot.status().maintenance());
    if (snapshot.showsClients()) {
      maintenance.setActions(snapshot.offers().maintenance());
    }
    if (snapshot.showsServers() && !snapshot.cache().classes().isEmpty()) {
      sharingClasses();
    }
    if (snapshot.showsClients()) {
      entries
          .add("Warnings", ROOT, "stoaWarnings", "Last warnings and errors of the log.")
          .operational("stoaWarning", MonitorTree.ordered(snapshot.warnings()));
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
    addNumber(entry, "stoaFilterCacheCurrent", cache.filterCurrent());
    addNumber(entry, "stoaFilterCacheSize", cache.filterSize());
    addNumber(entry, "stoaFilterCacheHits", cache.filterHits());
    addNumber(entry, "stoaFilterCacheMisses", cache.filterMisses());
    addNumber(entry, "stoaFilterCacheBypassed", cache.bypassed());
    addNumber(entry, "stoaEntryCacheCurrent", cache.entryCurrent());
    addNumber(entry, "stoaEntryCacheSize", cache.entrySize());
    addNumber(entry, "stoaEntryCacheHits", cache.entryHits());
    addNumber(entry, "stoaEntryCacheMisses", cache.entryMisses());
  }

  private void otherCaches(TreeEntry entry, CacheStats cache) {
    addNumber(entry, "stoaCompareHits", cache.compareHits());
    addNumber(entry, "stoaCompareMisses", cache.compareMisses());
    bool(entry, "stoaAclCache", cache.aclCache());
    addNumber(entry, "stoaAclCacheSize", cache.aclSize());
    addNumber(entry, "stoaAclCacheCurrent", cache.aclCurrent());
    addNumber(entry, "stoaCacheBytes", cache.bytes());
    addNumber(entry, "stoaCacheMaxBytes", cache.maxBytes());
    addNumber(entry, "stoaCacheEvictions", cache.evictions());
    addNumber(entry, "stoaCacheInvalidations", cache.invalidations());
    addNumber(entry, "stoaCacheStale", cache.staleServed());
    addNumber(entry, "stoaCacheJoined", cache.joined());
    addNumber(entry, "stoaCacheFillsInFlight", snapshot.status().fillsInFlight());
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
      addNumber(entry, "stoaFeedBound", none.bound().toMillis());
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
    text(entry, "stoaFeedRights", report.rights());
    long age = report.leaseAgeNanos();
    if (age >= 0) {
      addNumber(entry, "stoaFeedLeaseAge", TimeUnit.NANOSECONDS.toMillis(age));
    }
    addNumber(entry, "stoaFeedBound", report.bound().toMillis());
    addNumber(entry, "stoaFeedMargin", TimeUnit.NANOSECONDS.toMillis(report.marginNanos()));
    addNumber(entry, "stoaFeedConnects", feed.connects());
    addNumber(entry, "stoaFeedRightsAdvances", report.revocations());
    addNumber(entry, "stoaFeedDerivedAdvances", report.derivations());
  }

  private static void feedCounters(TreeEntry entry, DomainStatus domain) {
    entry.operational(
        "stoaFeedPosition",
        domain.covered().marks().values().stream().sorted().toArray(String[]::new));
    addNumber(entry, "stoaFeedChanges", domain.changes());
    addNumber(entry, "stoaFeedDuplicates", domain.duplicates());
    addNumber(entry, "stoaFeedGaps", domain.gaps());
    addNumber(entry, "stoaFeedMisses", domain.missedChanges());
    addNumber(entry, "stoaFeedFillsAdmitted", domain.fills());
    addNumber(entry, "stoaFeedViews", domain.views());
    addNumber(entry, "stoaFeedUnproved", domain.unverified());
    addNumber(entry, "stoaFeedUpdates", domain.updates());
    addNumber(entry, "stoaFeedChangesAborted", domain.abortedChanges());
    addNumber(entry, "stoaFeedVisibilityChecks", domain.entriesRead());
    addNumber(entry, "stoaFeedEvaluations", domain.evaluations());
    addNumber(entry, "stoaFeedUnknown", domain.unknown());
    addNumber(entry, "stoaFeedIncoherent", domain.mismatches());
    addNumber(entry, "stoaFeedRing", domain.ringSize());
    addNumber(entry, "stoaFeedRingSpan", TimeUnit.NANOSECONDS.toSeconds(domain.ringNanos()));
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

  private static void maintenanceCounters(TreeEntry entry, MaintenanceStatus maintenance) {
    addNumber(entry, "stoaRefreshes", maintenance.refills());
    addNumber(entry, "stoaRefreshesDropped", maintenance.refillsDropped());
    addNumber(entry, "stoaRefreshesWithoutClient", maintenance.refillsWithoutClient());
    addNumber(entry, "stoaAuditEqual", maintenance.verified());
    addNumber(entry, "stoaAuditUncompared", maintenance.unverifiable());
    addNumber(entry, "stoaAuditUndecided", maintenance.undecided());
    addNumber(entry, "stoaAuditIncoherent", maintenance.incoherent());
    List<String> behind = new ArrayList<>();
    for (int i = 0; i < maintenance.staleness().size(); i++) {
      boolean last = i == MaintenanceStatus.STALENESS.size();
      behind.add(
          (last ? "more" : MaintenanceStatus.STALENESS.get(i))
              + " "
              + maintenance.staleness().get(i));
    }
    entry.operational("stoaAuditBehind", behind.toArray(String[]::new));
    FullAuditStatus last = maintenance.fullAudit();
    entry.operational("stoaFullAuditState", word(last.state()));
    addNumber(entry, "stoaFullAuditNumber", last.number());
    addNumber(entry, "stoaFullAuditResults", last.results());
    addNumber(entry, "stoaFullAuditEqual", last.verified());
    addNumber(entry, "stoaFullAuditDiffering", last.differing());
    addNumber(entry, "stoaFullAuditUncompared", last.unverifiable());
    addNumber(entry, "stoaFullAuditWithoutClient", last.withoutClient());
  }

  private static void add(ClassStatus status, TreeEntry entry) {
    bool(entry, "stoaSharingClassUniform", status.uniform());
    bool(entry, "stoaSharingClassDemoted", status.demoted());
    addNumber(entry, "stoaSharingClassMembers", status.members());
    addNumber(entry, "stoaSharingClassSuspended", status.suspended());
    addNumber(entry, "stoaSharingClassGroupsUnknown", status.groupsUnknown());
    addNumber(entry, "stoaSharingClassHits", status.hits());
    addNumber(entry, "stoaSharingClassSamples", status.samples());
    addNumber(entry, "stoaSharingClassDifferences", status.differences());
    addNumber(entry, "stoaSharingClassDemotions", status.demotions());
  }

  private void add(WindowStatus window, TreeEntry entry) {
    WindowConfig config = window.config();
    if (config.subtree() != null) {
      entry.operational("stoaWindowSubtree", config.subtree());
    }
    if (config.identity() != null && snapshot.showsClients()) {
      entry.operational("stoaWindowIdentity", config.identity());
    }
    addNumber(entry, "stoaWindowEvery", config.every().toMillis());
    addNumber(entry, "stoaWindowMaxOperations", config.maxOperations());
    entry
        .operational("stoaWindowBatch", config.batch().name().toLowerCase(Locale.ROOT))
        .operational("stoaWindowState", state(window));
    addNumber(entry, "stoaWindowWaiting", window.waiting());
    addNumber(entry, "stoaWindowClosed", window.closed());
    addNumber(entry, "stoaWindowOperations", window.operations());
    addNumber(entry, "stoaWindowTransactional", window.transactional());
    addNumber(entry, "stoaWindowAborted", window.aborted());
    addNumber(entry, "stoaWindowDropped", window.dropped());
    if (snapshot.showsClients()) {
      entry.setActions(snapshot.offers().window(config.name()));
    }
  }

  private static String state(WindowStatus window) {
    if (window.bursting()) {
      return "sending";
    }
    return window.paused() ? "paused" : "open";
  }

  private static void addNumber(TreeEntry entry, String name, long value) {
    entry.operational(name, Long.toString(value));
  }

  private static void bool(TreeEntry entry, String name, boolean value) {
    entry.operational(name, value ? "TRUE" : "FALSE");
  }
}
