// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Values of cn=monitor at one moment, from one search.
 *
 * <p>Threading: immutable.
 *
 * @param base the top entry
 * @param uptime uptime in seconds
 * @param operations entries of operations, by their names in lower case
 * @param nanos time of the reading, by {@link System#nanoTime()}
 */
public record Monitor(
    EntryValues base,
    EntryValues caches,
    long uptime,
    List<EntryValues> backends,
    List<EntryValues> windows,
    Map<String, EntryValues> operations,
    long nanos) {
  private static final String FILTER =
      "(|(entryDN=cn=monitor)(entryDN=cn=Caches,cn=monitor)(entryDN=cn=Uptime,cn=Time,cn=monitor)"
          + "(objectClass=olmBalancerServer)(objectClass=stoaWindow)(objectClass=monitorOperation))";

  /** Attribute with the reason why Stoa is not ready. */
  static final String READY_REASON = "ready_reason";

  /** Requested attributes. Attributes with a value for each client are left out. */
  private static final String[] ATTRIBUTES = {
    "version",
    "ready",
    READY_REASON,
    "currentconnections",
    "maxconnections",
    "totalconnections",
    "opsinitiated",
    "opscompleted",
    "monitoredInfo",
    "monitorOpCompleted",
    "stoaNanos",
    "stoaCacheEnabled",
    "stoaFilterCacheHits",
    "stoaFilterCacheMisses",
    "stoaFilterCacheBypassed",
    "stoaEntryCacheHits",
    "stoaEntryCacheMisses",
    "stoaCompareHits",
    "stoaCompareMisses",
    "stoaCacheBytes",
    "olmServerURI",
    "olmPendingOps",
    "olmCompletedOps",
    "health-check-state",
    "stoaServerLatency",
    "stoaWindowState",
    "stoaWindowWaiting"
  };

  /** Reads the values. */
  public static Monitor read(StoaClient client) throws StoaException {
    Map<String, EntryValues> byName = new LinkedHashMap<>();
    List<EntryValues> backends = new ArrayList<>();
    List<EntryValues> windows = new ArrayList<>();
    Map<String, EntryValues> operations = new LinkedHashMap<>();
    for (EntryValues entry : client.below("cn=monitor", FILTER, ATTRIBUTES)) {
      String dn = entry.dn().toLowerCase(Locale.ROOT);
      if (dn.endsWith(",cn=operations,cn=monitor")) {
        operations.put(entry.name().toLowerCase(Locale.ROOT), entry);
      } else if (entry.text("olmServerURI") != null) {
        backends.add(entry);
      } else if (entry.text("stoaWindowState") != null) {
        windows.add(entry);
      } else {
        byName.put(entry.name().toLowerCase(Locale.ROOT), entry);
      }
    }
    return new Monitor(
        named(byName, "monitor"),
        named(byName, "caches"),
        named(byName, "uptime").count("monitoredInfo"),
        Backends.numbered(backends),
        windows,
        operations,
        System.nanoTime());
  }

  private static EntryValues named(Map<String, EntryValues> byName, String name)
      throws StoaException {
    EntryValues entry = byName.get(name);
    if (entry == null) {
      throw StoaException.refused("cn=monitor has no entry " + name);
    }
    return entry;
  }

  /** Returns the number of servers that take operations. */
  public long backendsUp() {
    return backends.stream().filter(one -> "UP".equals(one.text("health-check-state"))).count();
  }

  /** Returns the number of requests in flight, without this reading. */
  public long inFlight() {
    return Math.max(0, base.count("opsinitiated") - base.count("opscompleted") - 1);
  }

  /** Returns the state of a Stoa that is not ready, with the reason that it gives. */
  public static String notReady(EntryValues base) {
    String reason = base.text(READY_REASON);
    return reason == null || reason.isEmpty() ? "not ready" : "not ready: " + reason;
  }
}
