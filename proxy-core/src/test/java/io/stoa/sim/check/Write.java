// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.List;

/**
 * A change that was made through the proxy. Immutable.
 *
 * @param session whose it is
 * @param names of the entries that it concerns
 * @param deep whether all entries below these are concerned, too
 * @param derived the entries in which other values follow from it
 * @param state the first state that shows it
 * @param answered when its writer was told, or when it can no longer happen
 * @param sure whether its writer was told that it is made: else its session need not be shown it
 */
public record Write(
    String session,
    List<String> names,
    boolean deep,
    List<String> derived,
    int state,
    long answered,
    boolean sure) {
  /**
   * Whether an entry may differ for it.
   *
   * @param derives whether who looks at it looks at values that follow from others
   */
  public boolean concerns(String dn, boolean derives) {
    for (String name : names) {
      if (dn.equals(name) || (deep && dn.endsWith("," + name))) {
        return true;
      }
    }
    return derives && derived.contains(dn);
  }
}
