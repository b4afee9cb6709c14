// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

/**
 * One directory server at one moment. Immutable.
 *
 * @param address where it listens
 * @param primary whether it takes the writes
 * @param state whether it takes operations now
 * @param reason why it is in that state, for people
 * @param weight how much of the work it is given now, beside others
 * @param fullWeight the same after its slow start
 * @param latencyMillis how long it takes to answer lately
 * @param ejections how often it was taken out of use for a while, since it differed from its peers
 * @param connections connections open or being opened
 * @param living those of them that can be used
 * @param outstanding operations sent and not answered
 * @param places how many of these there may be
 * @param hedges its reads that a second server was asked for, too
 * @param operations operations sent since the start
 * @param binds binds sent since the start, those of clients and those to open a connection
 * @param clientBinds those of them that are operations of clients
 * @param connectionsLost connections that ended with operations unanswered or by an error
 * @param operationsLost operations whose connection ended before they were answered
 * @param replica how far it has got
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
