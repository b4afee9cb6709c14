// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners: where clients get in, what a listener demands of them, and TLS that is passed on
 * unread.
 *
 * <p>Entry classes: {@link io.stoa.client.listener.AccessConfig} and {@link
 * io.stoa.client.listener.Listeners}. What belongs to a connection is confined to its event loop.
 */
@NullMarked
package io.stoa.client.listener;

import org.jspecify.annotations.NullMarked;
