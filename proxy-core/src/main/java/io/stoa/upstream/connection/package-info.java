// SPDX-License-Identifier: Apache-2.0
/**
 * One connection to a server: sends requests under messageIDs of its own, delivers the responses to
 * their operations, applies time-outs, and reports its end.
 *
 * <p>{@link io.stoa.upstream.connection.RequestWriter} is the only way out for a request, and the
 * only place that adds proxied authorization (RFC 4370).
 *
 * <p>Start reading at {@link io.stoa.upstream.connection.UpstreamConnection}.
 *
 * <p>Threading: event loop.
 */
@NullMarked
package io.stoa.upstream.connection;

import org.jspecify.annotations.NullMarked;
