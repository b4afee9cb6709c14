// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.server.tree.TreeEntry;
import io.stoa.server.tree.TreeSuffix;
import java.util.List;

/** Makes the entries of {@code cn=monitor}. Thread-safe. */
final class MonitorTree {
  /** Where it begins. */
  static final TreeSuffix SUFFIX = new TreeSuffix("cn=monitor");

  private final MonitorSource source;

  MonitorTree(MonitorSource source) {
    this.source = source;
  }

  /** What anybody may read: no client is named. */
  List<TreeEntry> entries() {
    return List.of(base(new MonitorSnapshot(source)));
  }

  private static TreeEntry base(MonitorSnapshot snapshot) {
    TreeEntry entry = new TreeEntry(SUFFIX.name());
    entry.add("objectClass", "top", "monitorServer", "extensibleObject").add("cn", "monitor");
    for (MonitorAttribute attribute : MonitorAttributes.ALL) {
      entry.add(attribute.name(), attribute.value().apply(snapshot));
    }
    return entry;
  }
}
