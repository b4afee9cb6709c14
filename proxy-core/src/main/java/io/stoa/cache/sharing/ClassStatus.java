// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

/**
 * Status of a declared sharing class. Counters run since the start.
 *
 * <p>Threading: immutable.
 *
 * @param name the declared name
 * @param uniform true if it was declared uniform
 * @param demoted true if its members share nothing until an administrator restores it
 * @param members number of identities that became members
 * @param suspended number of members that share nothing until a mismatch is explained
 * @param groupsUnknown number of groups whose members are unknown now
 * @param hits answers from memory that may have been read for another member
 * @param samples hits that were verified upstream
 * @param differences verifications that found a mismatch
 * @param demotions number of times that the class was demoted
 */
public record ClassStatus(
    String name,
    boolean uniform,
    boolean demoted,
    long members,
    long suspended,
    int groupsUnknown,
    long hits,
    long samples,
    long differences,
    long demotions) {}
