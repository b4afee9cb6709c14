// SPDX-License-Identifier: Apache-2.0
/**
 * One request from its receipt to its final response, and the two interfaces that all stages share.
 *
 * <p>An {@link io.stoa.operation.Operation} travels a chain of {@link io.stoa.operation.Stage}s.
 * Its responses travel back through {@link io.stoa.operation.ResponseSink}s. A {@link
 * io.stoa.operation.ClientSession} is the sender, and {@link io.stoa.operation.Rejection} lists all
 * refusals with their result codes.
 *
 * <p>Start reading at {@link io.stoa.operation.Operation}.
 *
 * <p>Does not know: caches, servers, sockets.
 *
 * <p>Threads: all objects belong to the event loop of their client.
 */
@NullMarked
package io.stoa.operation;

import org.jspecify.annotations.NullMarked;
