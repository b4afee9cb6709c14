// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

/**
 * A declared class as it is now. Immutable.
 *
 * @param name as it was declared
 * @param uniform whether it was declared as such
 * @param demoted whether all its members have what is stored for them to themselves
 * @param members identities that were taken for its members, since the start
 * @param held members that have what is stored for them to themselves until a difference is
 *     explained
 * @param groupsUnknown groups of which nobody knows now who belongs to them
 * @param hits answers from memory that may have been read for another member
 * @param samples answers that were asked for again upstream and compared
 * @param differences those that were not the same
 * @param demotions how often it was demoted
 */
public record ClassStatus(
    String name,
    boolean uniform,
    boolean demoted,
    long members,
    long held,
    int groupsUnknown,
    long hits,
    long samples,
    long differences,
    long demotions) {}
