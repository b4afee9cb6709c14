// SPDX-License-Identifier: Apache-2.0
/**
 * The connection to a Stoa: its address, TLS, local sockets, and the entries of its two trees.
 *
 * <p>Does not know the output or the commands. Entry classes: {@link
 * io.stoa.cli.client.AdminConnector}, {@link io.stoa.cli.client.StoaClient}.
 *
 * <p>Threads: the one thread of a command; connecting has a thread of its own, so that it can be
 * abandoned.
 */
@NullMarked
package io.stoa.cli.client;

import org.jspecify.annotations.NullMarked;
