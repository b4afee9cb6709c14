// SPDX-License-Identifier: Apache-2.0
/**
 * Sessions of clients: requests in, answers out, back-pressure, time-outs, and the bounds over all
 * clients.
 *
 * <p>Entry class: {@link io.stoa.client.connection.Frontend}. A session is confined to its event
 * loop.
 */
@NullMarked
package io.stoa.client.connection;

import org.jspecify.annotations.NullMarked;
