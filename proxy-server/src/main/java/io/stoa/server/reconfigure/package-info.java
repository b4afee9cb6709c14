// SPDX-License-Identifier: Apache-2.0
/**
 * {@code cn=configuration}: the configuration as a tree that the administrator reads and changes
 * while the proxy runs.
 *
 * <p>Does not know the meaning of a key: keys, their forms and their rules are those of the
 * configuration file. Entry classes: {@link io.stoa.server.reconfigure.RuntimeConfiguration}, one
 * for the process, and {@link io.stoa.server.reconfigure.ConfigurationStage}, one for each event
 * loop.
 *
 * <p>Threads: changes are made one after the other, on a thread of their own.
 */
@NullMarked
package io.stoa.server.reconfigure;

import org.jspecify.annotations.NullMarked;
