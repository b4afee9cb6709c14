// SPDX-License-Identifier: Apache-2.0
/**
 * The other end of a connection: its address, its certificate, the local user of a Unix socket, and
 * the network that limits count as one client's.
 *
 * <p>Entry class: {@link io.stoa.net.peer.Peer}. Immutable.
 */
@NullMarked
package io.stoa.net.peer;

import org.jspecify.annotations.NullMarked;
