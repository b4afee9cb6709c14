// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The attributes that a search asks for (RFC 4511, section 4.5.1.8; RFC 3673). Immutable.
 *
 * @param allUser whether all user attributes are wanted
 * @param allOperational whether all operational attributes are wanted
 * @param names the names, in lower case
 * @param kinds which attribute types are kinds of others
 */
record AttributeList(boolean allUser, boolean allOperational, Set<String> names, Kinds kinds) {
  /** All that there is. */
  static final AttributeList EVERYTHING = new AttributeList(true, true, Set.of(), Kinds.NONE);

  private static final String ALL_USER = "*";
  private static final String ALL_OPERATIONAL = "+";

  /** {@code 1.1} names nothing that an entry has, so it needs no rule. */
  static AttributeList of(List<byte[]> requested, Kinds kinds) {
    Set<String> names =
        requested.stream()
            .map(name -> TreeEntry.fold(new String(name, StandardCharsets.UTF_8)))
            .collect(Collectors.toSet());
    boolean allUser = names.isEmpty() || names.contains(ALL_USER);
    return new AttributeList(allUser, names.contains(ALL_OPERATIONAL), names, kinds);
  }

  boolean selects(String lowerCaseName, boolean operational) {
    return (operational ? allOperational : allUser)
        || kinds.of(lowerCaseName).stream().anyMatch(names::contains);
  }
}
