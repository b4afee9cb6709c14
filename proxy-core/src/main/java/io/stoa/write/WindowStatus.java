// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

/**
 * A snapshot of one window.
 *
 * <p>Threading: immutable.
 *
 * @param config configuration of the window
 * @param waiting writes that wait
 * @param bursting true if its writes are in flight
 * @param paused true if writes pass it at once
 * @param closed number of times it has closed with any writes
 * @param operations writes sent when it closed
 * @param transactional writes of these that were performed in transactions
 * @param aborted transactions that failed, so that each write was sent by itself
 * @param dropped writes given up by their clients before it closed
 */
public record WindowStatus(
    WindowConfig config,
    int waiting,
    boolean bursting,
    boolean paused,
    long closed,
    long operations,
    long transactional,
    long aborted,
    long dropped) {}
