// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import java.util.Set;

/**
 * Attributes, in lower case, that a kind of server makes up, so that two servers with the same data
 * differ in them: in every entry, or in entries that were written since they were started.
 * Immutable.
 */
record Volatile(Set<String> always, Set<String> ofWritten) {
  static final Volatile SLAPD =
      new Volatile(
          Set.of("contextcsn"),
          Set.of("entryuuid", "entrycsn", "createtimestamp", "modifytimestamp"));

  static final Volatile DS389 =
      new Volatile(
          Set.of("dataversion", "netscapemdsuffix"),
          Set.of("entryuuid", "nsuniqueid", "createtimestamp", "modifytimestamp"));
}
