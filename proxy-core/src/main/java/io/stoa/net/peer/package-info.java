// SPDX-License-Identifier: Apache-2.0
/**
 * The peer of a connection: its address, its certificate, the local user of a Unix socket, and the
 * network that counts as one client for limits.
 *
 * <p>Entry class: {@link io.stoa.net.peer.Peer}. Immutable.
 */
@NullMarked
package io.stoa.net.peer;

import org.jspecify.annotations.NullMarked;
