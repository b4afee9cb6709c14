// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

/** Reads a counter of hits: searches and compares answered from memory since the start. */
@FunctionalInterface
public interface Hits {
  /** For runs in which nobody counts. */
  Hits NOT_COUNTED = () -> -1;

  long now();

  default boolean counted() {
    return this != NOT_COUNTED;
  }
}
