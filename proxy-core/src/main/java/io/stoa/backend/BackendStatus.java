// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

/**
 * One directory server at one moment. Immutable.
 *
 * @param address where it listens
 * @param primary whether it takes the writes
 * @param state whether it takes operations now
 * @param connections connections open or being opened
 * @param outstanding operations sent and not answered
 * @param operations operations sent since the start
 * @param binds binds sent since the start, those of clients and those to open a connection
 * @param connectionsLost connections that ended with operations unanswered or by an error
 */
public record BackendStatus(
    ServerAddress address,
    boolean primary,
    BackendState state,
    int connections,
    int outstanding,
    long operations,
    long binds,
    long connectionsLost) {}
