// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.server.localtree.TreeEntry;
import io.stoa.server.localtree.TreeSuffix;
import java.util.List;
import java.util.stream.IntStream;

/** Builds the entries of {@code cn=monitor} for one answer. Threading: immutable. */
final class MonitorTree {
  /** Suffix of the tree. */
  static final TreeSuffix SUFFIX = new TreeSuffix("cn=monitor");

  private final MonitorSnapshot snapshot;

  MonitorTree(MonitorSnapshot snapshot) {
    this.snapshot = snapshot;
  }

  /**
   * Builds the entries.
   *
   * @param check called before each entry; may throw
   */
  List<TreeEntry> entries(Runnable check) {
    EntryList entries =
        new EntryList(
            TimeForm.GENERALIZED.print(snapshot.started()),
            TimeForm.GENERALIZED.print(snapshot.time()),
            check);
    entries.add(base(), "monitorServer").operational("monitoredInfo", snapshot.version());
    new OpenLdapObjects(snapshot, entries).add();
    new OpenLdapCounters(snapshot, entries).add();
    new LoadBalancer(snapshot, entries).add();
    new OwnEntries(snapshot, entries).add();
    new ClientEntries(snapshot, entries).add();
    new NetworkEntries(snapshot, entries).add();
    new DigestEntries(snapshot, entries).add();
    new AdviceEntries(snapshot, entries).add();
    new Entries389(snapshot, entries).add();
    return entries.finish();
  }

  /** Returns values that keep their order, as those of cn=config in slapd: {@code {0}first}. */
  static String[] ordered(List<String> lines) {
    return IntStream.range(0, lines.size())
        .mapToObj(index -> "{" + index + "}" + lines.get(index))
        .toArray(String[]::new);
  }

  private TreeEntry base() {
    TreeEntry entry = new TreeEntry(SUFFIX.name());
    entry
        .add("objectClass", "top", "monitorServer", "extensibleObject")
        .add("cn", "monitor")
        .add("description", "State and counters of Stoa since its start.");
    for (MonitorAttribute attribute : MonitorAttributes.ALL) {
      entry.add(attribute.name(), attribute.values().apply(snapshot));
    }
    return entry;
  }
}
