// SPDX-License-Identifier: Apache-2.0
/**
 * The way to a Stoa: its address, TLS, sockets of the file system, and its two trees as facts.
 *
 * <p>It must not know how anything is printed, nor what the commands are. Entry classes: {@link
 * io.stoa.cli.client.Connector}, {@link io.stoa.cli.client.StoaClient}. All of it is used by the
 * one thread of a command; connecting has a thread of its own, so that it can be given up.
 */
@NullMarked
package io.stoa.cli.client;

import org.jspecify.annotations.NullMarked;
