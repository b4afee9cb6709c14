// SPDX-License-Identifier: Apache-2.0
/**
 * Event loops and what belongs to them: native or NIO transports, names of hosts, guarded tasks,
 * retries with back-off, and bounded logging.
 *
 * <p>Entry class: {@link io.stoa.net.transport.Transport}.
 */
@NullMarked
package io.stoa.net.transport;

import org.jspecify.annotations.NullMarked;
