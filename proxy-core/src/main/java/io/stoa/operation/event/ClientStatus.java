// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

import io.stoa.net.peer.Peer;
import java.time.Instant;

/**
 * A snapshot of one client. The record names the client, and is only for authorized readers.
 *
 * <p>Threading: immutable.
 *
 * @param number sequence number of the client since the start
 * @param peer properties of the client that its connection proves
 * @param listener URL of the listener that accepted it
 * @param identity bind DN; empty if it is anonymous or has none
 * @param since time of the connection
 * @param active time of the last request
 * @param received requests received
 * @param completed operations ended
 * @param refused operations that Stoa itself has refused
 * @param executing operations in flight
 * @param readWaiting true if a request is unfinished or waits
 * @param writeWaiting true if octets wait to be read by the client
 */
public record ClientStatus(
    long number,
    Peer peer,
    String listener,
    String identity,
    Instant since,
    Instant active,
    long received,
    long completed,
    long refused,
    int executing,
    boolean readWaiting,
    boolean writeWaiting) {}
