// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import java.util.Locale;

/** How a client connects. Immutable. */
enum ConnectionKind {
  PLAIN,
  STARTTLS,
  LDAPS;

  /** As the programmes are told. */
  String argument() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The scheme of URLs. */
  String scheme() {
    return this == LDAPS ? "ldaps" : "ldap";
  }
}
