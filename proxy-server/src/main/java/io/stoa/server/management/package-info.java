// SPDX-License-Identifier: Apache-2.0
/**
 * The management listener: metrics, health, the page and the switch of the caches, over HTTP.
 *
 * <p>Does not know how its numbers are computed. Entry class: {@link
 * io.stoa.server.management.ManagementServer}.
 *
 * <p>Threads: one thread of its own, to which handlers are confined, so that its requests never
 * delay a client.
 */
@NullMarked
package io.stoa.server.management;

import org.jspecify.annotations.NullMarked;
