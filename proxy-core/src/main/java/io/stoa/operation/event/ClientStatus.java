// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

import io.stoa.net.peer.Peer;
import java.time.Instant;

/**
 * One client at one moment; it names the client, and is only for those who may know. Immutable.
 *
 * @param number counts the clients since the start
 * @param peer what its connection proves of it
 * @param listener the URL to which it came
 * @param identity the DN as which it is bound; empty if it is anonymous or has none
 * @param since when it came
 * @param active when its last request came
 * @param received requests received
 * @param completed operations ended
 * @param executing operations in flight
 * @param readWaiting whether a request is unfinished or waits
 * @param writeWaiting whether octets wait to be taken
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
    int executing,
    boolean readWaiting,
    boolean writeWaiting) {}
