// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

/**
 * Snapshot of one directory server.
 *
 * <p>Threading: immutable.
 *
 * @param address address of the server
 * @param primary true if the server takes writes
 * @param state availability
 * @param reason reason for the state, as text
 * @param weight share of the load now, relative to other servers
 * @param fullWeight share of the load after the slow start
 * @param latencyMillis recent response time in ms
 * @param ejections number of ejections since the start
 * @param connections connections open or being opened
 * @param living connections that are usable
 * @param outstanding operations sent and not answered
 * @param places concurrency limit of the server
 * @param hedges reads that were hedged
 * @param operations operations sent since the start
 * @param binds binds sent since the start, by clients and by Stoa
 * @param clientBinds binds that are operations of clients
 * @param connectionsLost connections that ended with unanswered operations
 * @param operationsLost operations whose connection ended before they were answered
 * @param replica replication position and lag
 */
public record BackendStatus(
    ServerAddress address,
    boolean primary,
    BackendState state,
    String reason,
    double weight,
    int fullWeight,
    double latencyMillis,
    long ejections,
    int connections,
    int living,
    int outstanding,
    ConcurrencyLimiter.Status places,
    HedgeStats.Status hedges,
    long operations,
    long binds,
    long clientBinds,
    long connectionsLost,
    long operationsLost,
    ReplicaStatus replica) {}
