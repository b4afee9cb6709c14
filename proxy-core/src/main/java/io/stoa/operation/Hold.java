// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

/**
 * A paused connection to a server: Stoa does not read from it, since a client does not take its
 * answers.
 *
 * <p>Threading: immutable.
 *
 * @param resume resumes reading
 * @param others true if clients that take their answers wait for some on the same connection
 * @param operations operations in flight on the connection; each may keep a thread of the server
 */
public record Hold(Runnable resume, boolean others, int operations) {}
