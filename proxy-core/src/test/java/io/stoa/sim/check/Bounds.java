// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

/**
 * What was promised, in nanoseconds. Immutable.
 *
 * @param maxAge so old may be what memory answers where nothing vouches for it
 * @param staleness so old may it be where a lease does
 * @param access so old may access rules be by which memory answers
 * @param undone for so long may memory tell what was announced and undone
 * @param alone whether there is one server, so that whoever asks after a write was answered is
 *     shown it, whosever it was; and, but by what a feed vouches for, all that was before it
 */
public record Bounds(long maxAge, long staleness, long access, long undone, boolean alone) {
  /** Where nothing vouches for anything. */
  public static Bounds ofAge(long maxAge, boolean alone) {
    return new Bounds(maxAge, maxAge, maxAge, maxAge, alone);
  }

  /**
   * Whether a read may have been answered because a feed vouches for it: of those of which nobody
   * has asked that is not known. Where both bounds are the same there is no feed.
   */
  boolean mayBeLeased(Read read) {
    Claim claim = read.claim();
    boolean known = claim != null && !claim.equals(Claim.NONE);
    return read.fromMemory() && (known ? claim.leased() : staleness < maxAge);
  }

  /** How old a read may be. */
  long of(Read read) {
    Claim claim = read.claim();
    return claim != null && claim.leased() ? staleness : maxAge;
  }
}
