// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The attributes that a search requests (RFC 4511, section 4.5.1.8; RFC 3673).
 *
 * <p>Threading: immutable.
 *
 * @param allUser true if all user attributes are requested
 * @param allOperational true if all operational attributes are requested
 * @param names requested names in lower case
 * @param kinds supertypes of attribute types
 */
record AttributeList(
    boolean allUser, boolean allOperational, Set<String> names, TypeHierarchy kinds) {
  /** Requests all attributes. */
  static final AttributeList EVERYTHING =
      new AttributeList(true, true, Set.of(), TypeHierarchy.NONE);

  private static final String ALL_USER = "*";
  private static final String ALL_OPERATIONAL = "+";

  /**
   * Parses the requested names. {@code 1.1} needs no rule, as no entry has an attribute of that
   * name.
   */
  static AttributeList of(List<byte[]> requested, TypeHierarchy kinds) {
    Set<String> names =
        requested.stream()
            .map(name -> TreeEntry.fold(new String(name, StandardCharsets.UTF_8)))
            .collect(Collectors.toSet());
    boolean allUser = names.isEmpty() || names.contains(ALL_USER);
    return new AttributeList(allUser, names.contains(ALL_OPERATIONAL), names, kinds);
  }

  boolean selects(String lowerCaseName, boolean operational) {
    return (operational ? allOperational : allUser)
        || kinds.withSuperiors(lowerCaseName).stream().anyMatch(names::contains);
  }
}
