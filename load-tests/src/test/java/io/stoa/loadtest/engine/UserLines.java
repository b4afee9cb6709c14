// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import java.util.HashMap;
import java.util.Map;

/**
 * The connections that belong to one virtual user, by their names; they end with it. Event-loop
 * confined, but for making it.
 */
final class UserLines {
  private final LoopLines loop;
  private final Map<String, LdapLine> byName = new HashMap<>(2);

  UserLines(LoopLines loop) {
    this.loop = loop;
  }

  LdapLine line(Label label) {
    return label.isDefaultLine() && loop.sharesLines()
        ? loop.next()
        : byName.computeIfAbsent(label.line(), name -> loop.newLine(label.isDefaultLine()));
  }

  void close() {
    byName.values().forEach(LdapLine::close);
  }
}
