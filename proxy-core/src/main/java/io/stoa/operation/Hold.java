// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/**
 * A server from which Stoa reads no further on one connection, since a client does not take its
 * answers. Immutable.
 *
 * @param resume makes reading go on
 * @param others true if clients that take their answers wait for some on the same connection
 * @param operations operations under way on the connection: each may keep a thread of the server
 */
public record Hold(Runnable resume, boolean others, int operations) {}
