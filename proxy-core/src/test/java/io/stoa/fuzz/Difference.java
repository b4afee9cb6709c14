// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.List;

/**
 * An answer of a Stoa that the directory does not give. Immutable.
 *
 * @param at index of the act in its script
 * @param way index of the Stoa
 */
record Difference(int at, int way, String name, List<String> direct, List<String> stoa) {
  @Override
  public String toString() {
    return "  directory:" + Told.shown(direct) + "\n  Stoa (" + name + "):" + Told.shown(stoa);
  }
}
