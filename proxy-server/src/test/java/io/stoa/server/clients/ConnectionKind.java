// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import java.util.Locale;

/** How a client connects. Immutable. */
enum ConnectionKind {
  PLAIN;

  /** As the programmes are told. */
  String argument() {
    return name().toLowerCase(Locale.ROOT);
  }
}
