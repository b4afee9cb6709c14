// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

/** Reads a counter of hits: searches and compares answered from memory since the start. */
@FunctionalInterface
interface Hits {
  /** For runs without Stoa: there are no hits, and none are expected. */
  Hits NOT_COUNTED = () -> -1;

  long now();

  default boolean counted() {
    return this != NOT_COUNTED;
  }
}
