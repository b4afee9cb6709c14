// SPDX-License-Identifier: Apache-2.0
/**
 * Connections from clients: listeners, sessions, authentication, limits and the root DSE.
 *
 * <p>A client's connection takes requests in order, makes operations of them, and writes their
 * responses under the client's messageIDs. The memory for a slow reader is bounded. An unfinished
 * request is bounded in memory and time.
 *
 * <p>Start reading at {@link io.stoa.client.connection.Frontend}, then {@link
 * io.stoa.client.connection.ClientConnection}.
 *
 * <p>Does not know: upstream connections, routing, caches. An operation leaves by the chain of
 * stages.
 *
 * <p>Threads: a connection belongs to one event loop. Limits over all clients are thread-safe.
 */
@NullMarked
package io.stoa.client;

import org.jspecify.annotations.NullMarked;
