// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.result.CacheStats;
import io.stoa.metrics.OperationKind;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.event.BindKind;
import io.stoa.operation.event.ClientEvent;
import io.stoa.server.localtree.TreeEntry;
import io.stoa.upstream.server.BackendStatus;
import java.util.List;

/**
 * Entries below {@code cn=monitor} in the form of 389 Directory Server. Threading: confined to the
 * thread that builds the answer.
 */
final class Entries389 {
  private static final String ROOT = "cn=monitor";
  private static final String CLASS = "extensibleObject";

  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  Entries389(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  void add() {
    TreeEntry snmp = entry("snmp");
    binds(snmp);
    operations(snmp);
    traffic(snmp);
    caches(snmp);
    snapshot.status().suffixes().stream().limit(1).forEach(suffix -> cache(entry(suffix)));
  }

  private TreeEntry entry(String name) {
    return entries.add(name, ROOT, CLASS).add("objectClass", "top", CLASS);
  }

  /**
   * Returns the names of the entries of caches. Stoa has one cache for all directories, under the
   * name of the first suffix.
   */
  static List<String> caches(MonitorSnapshot snapshot) {
    return snapshot.status().suffixes().stream()
        .limit(1)
        .map(suffix -> EntryList.dn(suffix, ROOT))
        .toList();
  }

  private void binds(TreeEntry snmp) {
    OperationCounters counters = snapshot.counters();
    addNumber(snmp, "AnonymousBinds", counters.binds().get(BindKind.ANONYMOUS));
    addNumber(snmp, "UnAuthBinds", counters.binds().get(BindKind.UNAUTHENTICATED));
    addNumber(snmp, "SimpleAuthBinds", counters.binds().get(BindKind.SIMPLE));
    addNumber(snmp, "StrongAuthBinds", counters.binds().get(BindKind.SASL));
    addNumber(snmp, "BindSecurityErrors", snapshot.count(ClientEvent.SECURITY_FAILURE_OF_BIND));
  }

  private void operations(TreeEntry snmp) {
    addNumber(snmp, "InOps", snapshot.received());
    addNumber(snmp, "ReadOps", 0);
    addNumber(snmp, "CompareOps", snapshot.received(OperationKind.COMPARE));
    addNumber(snmp, "AddEntryOps", snapshot.received(OperationKind.ADD));
    addNumber(snmp, "RemoveEntryOps", snapshot.received(OperationKind.DELETE));
    addNumber(snmp, "ModifyEntryOps", snapshot.received(OperationKind.MODIFY));
    addNumber(snmp, "ModifyRDNOps", snapshot.received(OperationKind.MODRDN));
    addNumber(snmp, "ListOps", 0);
    addNumber(snmp, "SearchOps", snapshot.received(OperationKind.SEARCH));
    addNumber(snmp, "OneLevelSearchOps", snapshot.count(ClientEvent.ONE_LEVEL_SEARCH));
    addNumber(snmp, "WholeSubtreeSearchOps", snapshot.count(ClientEvent.SUBTREE_SEARCH));
    addNumber(snmp, "Referrals", snapshot.count(ClientEvent.REFERRAL));
    addNumber(snmp, "Chainings", chainings());
    addNumber(snmp, "SecurityErrors", snapshot.count(ClientEvent.SECURITY_FAILURE));
    addNumber(snmp, "Errors", snapshot.count(ClientEvent.FAILURE));
  }

  private long chainings() {
    return snapshot.status().backends().stream().mapToLong(BackendStatus::operations).sum();
  }

  private void traffic(TreeEntry snmp) {
    addNumber(snmp, "Connections", snapshot.status().connections());
    addNumber(snmp, "ConnectionSeq", snapshot.count(ClientEvent.CONNECTION_OPENED));
    addNumber(snmp, "ConnectionsInMaxThreads", snapshot.status().clientsAtLimit());
    addNumber(snmp, "ConnectionsMaxThreadsCount", snapshot.count(ClientEvent.THROTTLED));
    addNumber(snmp, "BytesRecv", snapshot.count(ClientEvent.OCTET_RECEIVED));
    addNumber(snmp, "BytesSent", snapshot.count(ClientEvent.OCTET_SENT));
    addNumber(snmp, "EntriesReturned", snapshot.count(ClientEvent.ENTRY_SENT));
    addNumber(snmp, "ReferralsReturned", snapshot.count(ClientEvent.REFERENCE_SENT));
  }

  private void caches(TreeEntry snmp) {
    CacheStats cache = snapshot.cache();
    addNumber(snmp, "SupplierEntries", 0);
    addNumber(snmp, "CopyEntries", 0);
    addNumber(snmp, "CacheEntries", cache.entryCurrent());
    addNumber(snmp, "CacheHits", cache.filterHits() + cache.compareHits());
    addNumber(snmp, "ConsumerHits", 0);
  }

  private void cache(TreeEntry entry) {
    CacheStats cache = snapshot.cache();
    entry.add("database", "proxy");
    addNumber(entry, "readOnly", 0);
    addHitRatio(entry, "entryCache", cache.filterHits(), cache.filterHits() + cache.filterMisses());
    addNumber(entry, "currentEntryCacheSize", cache.bytes());
    addNumber(entry, "maxEntryCacheSize", cache.maxBytes());
    addNumber(entry, "currentEntryCacheCount", cache.filterCurrent());
    addNumber(entry, "maxEntryCacheCount", cache.filterSize());
    addHitRatio(entry, "dnCache", 0, 0);
    addNumber(entry, "currentDnCacheSize", 0);
    addNumber(entry, "maxDnCacheSize", 0);
    addNumber(entry, "currentDnCacheCount", 0);
    addNumber(entry, "maxDnCacheCount", 0);
  }

  private static void addHitRatio(TreeEntry entry, String cache, long hits, long tries) {
    addNumber(entry, cache + "Hits", hits);
    addNumber(entry, cache + "Tries", tries);
    addNumber(entry, cache + "HitRatio", 100 * hits / Math.max(1, tries));
  }

  private static void addNumber(TreeEntry entry, String name, long value) {
    entry.add(name, Long.toString(value));
  }
}
