// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners: the addresses on which clients are accepted, the requirements of a listener, and TLS
 * passthrough.
 *
 * <p>Entry classes: {@link io.stoa.client.listener.AccessConfig} and {@link
 * io.stoa.client.listener.Listeners}. State of a connection is confined to its event loop.
 */
@NullMarked
package io.stoa.client.listener;

import org.jspecify.annotations.NullMarked;
