// SPDX-License-Identifier: Apache-2.0
/**
 * One connection to a server: requests out under messageIDs of its own, answers back to their
 * operations, time-outs, its end.
 *
 * <p>{@link io.stoa.upstream.connection.RequestWriter} is the only way out for a request, and the
 * only place that adds proxied authorization (RFC 4370). Entry class: {@link
 * io.stoa.upstream.connection.UpstreamConnection}. Event-loop confined.
 */
@NullMarked
package io.stoa.upstream.connection;

import org.jspecify.annotations.NullMarked;
