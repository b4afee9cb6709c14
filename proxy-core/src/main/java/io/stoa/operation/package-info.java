// SPDX-License-Identifier: Apache-2.0
/**
 * One request in flight, and the two interfaces that every stage speaks.
 *
 * <p>The hub of the proxy is a noun: {@link io.stoa.operation.Operation} travels a chain of {@link
 * io.stoa.operation.Stage}s, and its responses travel back through {@link
 * io.stoa.operation.ResponseSink}s. The package knows nothing of caches, servers or sockets. Entry
 * class: {@link io.stoa.operation.Operation}. Everything belongs to the event loop of its client.
 */
@NullMarked
package io.stoa.operation;

import org.jspecify.annotations.NullMarked;
