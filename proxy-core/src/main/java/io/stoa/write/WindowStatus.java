// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

/**
 * One window at one moment. Immutable.
 *
 * @param config which writes it is for
 * @param waiting writes that wait
 * @param bursting whether writes of it are under way
 * @param paused whether writes pass it at once
 * @param closed how often it has closed with any writes
 * @param operations writes that have gone upstream when it closed
 * @param together of them, those that were done in transactions
 * @param aborted transactions that failed, so that each of their writes was done by itself
 * @param dropped writes that their clients no longer wanted before that
 */
public record WindowStatus(
    WindowConfig config,
    int waiting,
    boolean bursting,
    boolean paused,
    long closed,
    long operations,
    long together,
    long aborted,
    long dropped) {}
