// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

/**
 * What the proxy tells of an answer that it has in memory. Immutable.
 *
 * @param asOf the answer shows all that had happened by then
 * @param leased whether that is proved by a lease, and not by when it was read
 */
public record Claim(long asOf, boolean leased) {
  /** That there is no answer in memory. */
  public static final Claim NONE = new Claim(Long.MIN_VALUE, false);
}
