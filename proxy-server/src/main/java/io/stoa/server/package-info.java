// SPDX-License-Identifier: Apache-2.0
/**
 * The process: the command with its subcommands, and the server that they start.
 *
 * <p>Assembles the proxy, its own trees and the management listener. Does not know LDAP. Entry
 * classes: {@link io.stoa.server.StoaCommand} for a process, {@link io.stoa.server.StoaServer}
 * within one.
 *
 * <p>Threads: the command runs on the main thread; a signal ends it on a thread of the JVM.
 */
@NullMarked
package io.stoa.server;

import org.jspecify.annotations.NullMarked;
