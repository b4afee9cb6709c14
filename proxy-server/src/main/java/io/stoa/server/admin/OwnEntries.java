// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.cache.CacheStats;
import io.stoa.server.tree.TreeEntry;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowStatus;
import java.util.Locale;

/**
 * The entries below {@code cn=monitor} that only Stoa has: the caches, and the windows in which
 * writes wait. Confined to whoever makes the answer.
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
    if (snapshot.named()) {
      caches.offer(snapshot.offers().caches());
    }
    String parent =
        entries
            .add(
                "Windows", ROOT, "monitorContainer", "Windows in which writes wait for each other.")
            .dn();
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

  private void add(WindowStatus window, TreeEntry entry) {
    WindowConfig config = window.config();
    if (config.subtree() != null) {
      entry.operational("stoaWindowSubtree", config.subtree());
    }
    if (config.identity() != null && snapshot.named()) {
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
    number(entry, "stoaWindowTogether", window.together());
    number(entry, "stoaWindowAborted", window.aborted());
    number(entry, "stoaWindowDropped", window.dropped());
    if (snapshot.named()) {
      entry.offer(snapshot.offers().window(config.name()));
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
