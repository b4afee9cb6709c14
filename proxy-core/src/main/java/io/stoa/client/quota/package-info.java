// SPDX-License-Identifier: Apache-2.0
/**
 * Limits of one client network and of one identity: connections, operations in flight, operations
 * per second, and failed binds.
 *
 * <p>All limits are off by default. Start reading at {@link io.stoa.client.quota.ClientQuotas}.
 *
 * <p>Does not know: channels, caches, servers.
 *
 * <p>Threading: everything is thread-safe, except the sinks and the stage of an event loop.
 */
@NullMarked
package io.stoa.client.quota;

import org.jspecify.annotations.NullMarked;
