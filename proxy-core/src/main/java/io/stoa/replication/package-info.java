// SPDX-License-Identifier: Apache-2.0
/**
 * Positions of servers, and the session guarantees: read-your-writes and monotonic reads (Terry et
 * al., 1994).
 *
 * <p>Positions of servers are compared with the writes that passed through the proxy. A server may
 * answer a read if it lacks no write that the session must see.
 *
 * <p>Start reading at {@link io.stoa.replication.SessionGuarantees}, then {@link
 * io.stoa.replication.Replication}.
 *
 * <p>Does not know: connections, caches. A server is an object that is compared by identity.
 *
 * <p>Threads: shared by all event loops; {@code Replication} and {@code UnreplicatedWrites} have
 * one lock each.
 */
@NullMarked
package io.stoa.replication;

import org.jspecify.annotations.NullMarked;
