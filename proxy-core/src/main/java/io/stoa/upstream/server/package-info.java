// SPDX-License-Identifier: Apache-2.0
/**
 * Directory servers as the proxy sees them: address, health, operations in flight, and limits that
 * it learns.
 *
 * <p>Start reading at {@link io.stoa.upstream.server.Backend}.
 *
 * <p>Threading: thread-safe; all event loops share a server.
 */
@NullMarked
package io.stoa.upstream.server;

import org.jspecify.annotations.NullMarked;
