// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The attributes that a search asks for (RFC 4511, section 4.5.1.8), of an entry that has user
 * attributes only. Immutable.
 *
 * @param all whether all user attributes are wanted
 * @param names the names, in lower case
 */
record AttributeList(boolean all, Set<String> names) {
  private static final String ALL_USER = "*";

  /** {@code 1.1} and {@code +} name nothing that the entry has, so they need no rule. */
  static AttributeList of(List<byte[]> requested) {
    Set<String> names =
        requested.stream()
            .map(name -> MonitorEntry.fold(new String(name, StandardCharsets.UTF_8)))
            .collect(Collectors.toSet());
    return new AttributeList(names.isEmpty() || names.contains(ALL_USER), names);
  }

  boolean selects(String lowerCaseName) {
    return all || names.contains(lowerCaseName);
  }
}
