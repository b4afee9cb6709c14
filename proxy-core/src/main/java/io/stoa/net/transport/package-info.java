// SPDX-License-Identifier: Apache-2.0
/**
 * Event loops and their services: native or NIO transports, counters, name resolution, guarded
 * tasks, back-off, durable files, bounded logging, the texts of failures, and the exception for
 * broken rules of the configuration.
 *
 * <p>Entry class: {@link io.stoa.net.transport.Transport}.
 */
@NullMarked
package io.stoa.net.transport;

import org.jspecify.annotations.NullMarked;
