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
    number(snmp, "AnonymousBinds", counters.binds().get(BindKind.ANONYMOUS));
    number(snmp, "UnAuthBinds", counters.binds().get(BindKind.UNAUTHENTICATED));
    number(snmp, "SimpleAuthBinds", counters.binds().get(BindKind.SIMPLE));
    number(snmp, "StrongAuthBinds", counters.binds().get(BindKind.SASL));
    number(snmp, "BindSecurityErrors", snapshot.count(ClientEvent.SECURITY_FAILURE_OF_BIND));
  }

  private void operations(TreeEntry snmp) {
    number(snmp, "InOps", snapshot.received());
    number(snmp, "ReadOps", 0);
    number(snmp, "CompareOps", snapshot.received(OperationKind.COMPARE));
    number(snmp, "AddEntryOps", snapshot.received(OperationKind.ADD));
    number(snmp, "RemoveEntryOps", snapshot.received(OperationKind.DELETE));
    number(snmp, "ModifyEntryOps", snapshot.received(OperationKind.MODIFY));
    number(snmp, "ModifyRDNOps", snapshot.received(OperationKind.MODRDN));
    number(snmp, "ListOps", 0);
    number(snmp, "SearchOps", snapshot.received(OperationKind.SEARCH));
    number(snmp, "OneLevelSearchOps", snapshot.count(ClientEvent.ONE_LEVEL_SEARCH));
    number(snmp, "WholeSubtreeSearchOps", snapshot.count(ClientEvent.SUBTREE_SEARCH));
    number(snmp, "Referrals", snapshot.count(ClientEvent.REFERRAL));
    number(snmp, "Chainings", chainings());
    number(snmp, "SecurityErrors", snapshot.count(ClientEvent.SECURITY_FAILURE));
    number(snmp, "Errors", snapshot.count(ClientEvent.FAILURE));
  }

  private long chainings() {
    return snapshot.status().backends().stream().mapToLong(BackendStatus::operations).sum();
  }

  private void traffic(TreeEntry snmp) {
    number(snmp, "Connections", snapshot.status().connections());
    number(snmp, "ConnectionSeq", snapshot.count(ClientEvent.CONNECTION_OPENED));
    number(snmp, "ConnectionsInMaxThreads", snapshot.status().clientsAtLimit());
    number(snmp, "ConnectionsMaxThreadsCount", snapshot.count(ClientEvent.THROTTLED));
    number(snmp, "BytesRecv", snapshot.count(ClientEvent.OCTET_RECEIVED));
    number(snmp, "BytesSent", snapshot.count(ClientEvent.OCTET_SENT));
    number(snmp, "EntriesReturned", snapshot.count(ClientEvent.ENTRY_SENT));
    number(snmp, "ReferralsReturned", snapshot.count(ClientEvent.REFERENCE_SENT));
  }

  private void caches(TreeEntry snmp) {
    CacheStats cache = snapshot.cache();
    number(snmp, "SupplierEntries", 0);
    number(snmp, "CopyEntries", 0);
    number(snmp, "CacheEntries", cache.entryCurrent());
    number(snmp, "CacheHits", cache.filterHits() + cache.compareHits());
    number(snmp, "ConsumerHits", 0);
  }

  private void cache(TreeEntry entry) {
    CacheStats cache = snapshot.cache();
    entry.add("database", "proxy");
    number(entry, "readOnly", 0);
    addHitRatio(entry, "entryCache", cache.filterHits(), cache.filterHits() + cache.filterMisses());
    number(entry, "currentEntryCacheSize", cache.bytes());
    number(entry, "maxEntryCacheSize", cache.maxBytes());
    number(entry, "currentEntryCacheCount", cache.filterCurrent());
    number(entry, "maxEntryCacheCount", cache.filterSize());
    addHitRatio(entry, "dnCache", 0, 0);
    number(entry, "currentDnCacheSize", 0);
    number(entry, "maxDnCacheSize", 0);
    number(entry, "currentDnCacheCount", 0);
    number(entry, "maxDnCacheCount", 0);
  }

  private static void addHitRatio(TreeEntry entry, String cache, long hits, long tries) {
    number(entry, cache + "Hits", hits);
    number(entry, cache + "Tries", tries);
    number(entry, cache + "HitRatio", 100 * hits / Math.max(1, tries));
  }

  private static void number(TreeEntry entry, String name, long value) {
    entry.add(name, Long.toString(value));
  }
}
