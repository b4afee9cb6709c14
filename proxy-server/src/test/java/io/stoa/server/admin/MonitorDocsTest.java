// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.server.GeneratedSection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The documentation of {@code cn=monitor} follows from the attributes. */
class MonitorDocsTest {
  @Test
  void attributesAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| attribute | meaning |", "|---|---|"));
    for (MonitorAttribute attribute : MonitorAttributes.ALL) {
      lines.add("| `%s` | %s |".formatted(attribute.name(), attribute.meaning()));
    }
    GeneratedSection.check("docs/monitor.md", "attributes", lines);
  }
}
