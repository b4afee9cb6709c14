// SPDX-License-Identifier: Apache-2.0
/**
 * The management listener: metrics, health and the switch of the caches, over HTTP.
 *
 * <p>It has one thread of its own, so that what is asked of it never delays a client, and it must
 * not know how its numbers come about. Entry class: {@link
 * io.stoa.server.management.ManagementServer}. Handlers are confined to that thread.
 */
@NullMarked
package io.stoa.server.management;

import org.jspecify.annotations.NullMarked;
