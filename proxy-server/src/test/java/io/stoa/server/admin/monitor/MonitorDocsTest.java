// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.cache.result.Explanation.Reason;
import io.stoa.server.GeneratedSection;
import io.stoa.server.localtree.TreeEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documentation of {@code cn=monitor} follows from its entries. */
class MonitorDocsTest {
  /** What each entry has, as an entry. */
  private static final Set<String> EVERYWHERE =
      Stream.concat(EntryList.COMMON.stream(), Stream.of("objectClass", "cn", "description"))
          .collect(Collectors.toSet());

  @Test
  void attributesAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| attribute | meaning |", "|---|---|"));
    for (MonitorAttribute attribute : MonitorAttributes.ALL) {
      lines.add("| `%s` | %s |".formatted(attribute.name(), attribute.meaning()));
    }
    GeneratedSection.check("docs/reference/monitor.md", "attributes", lines);
  }

  @Test
  void entriesAreDocumentedAsTheyAre() throws IOException {
    Map<String, String> rows = new LinkedHashMap<>();
    List<TreeEntry> entries = MonitorSamples.tree(Audience.ADMINISTRATOR).entries(() -> {});
    for (TreeEntry entry : entries.subList(1, entries.size())) {
      rows.putIfAbsent(
          name(entry),
          "| `%s` | %s | %s |"
              .formatted(
                  name(entry), entry.values("structuralObjectClass").get(0), attributes(entry)));
    }
    List<String> lines =
        new ArrayList<>(List.of("| entry | class | attributes |", "|---|---|---|"));
    lines.addAll(rows.values());
    GeneratedSection.check("docs/reference/monitor.md", "entries", lines);
  }

  @Test
  void reasonsAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| reason | meaning |", "|---|---|"));
    for (Reason reason : Reason.values()) {
      lines.add("| `%s` | %s |".formatted(reason.word(), reason.meaning()));
    }
    GeneratedSection.check("docs/reference/monitor.md", "reasons", lines);
  }

  private static String name(TreeEntry entry) {
    return entry
        .dn()
        .replaceFirst("(?i),cn=monitor$", "")
        .replaceAll("directory \\d", "directory D")
        .replaceAll("\\b(Backend|Database|Listener|Connection|tier|server) \\d", "$1 N")
        .replaceAll("cn=[0-9a-f]{16},", "cn=ID,")
        .replace("cn=name,", "cn=NAME,")
        .replace("cn=192.0.2.1,", "cn=NETWORK,")
        .replaceAll("dc=y|o=old", "SUFFIX");
  }

  private static String attributes(TreeEntry entry) {
    return entry.names().stream()
        .filter(name -> !EVERYWHERE.contains(name))
        .sorted()
        .map(name -> "`" + name + "`")
        .collect(Collectors.joining(", "));
  }
}
