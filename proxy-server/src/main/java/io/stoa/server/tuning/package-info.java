// SPDX-License-Identifier: Apache-2.0
/**
 * {@code cn=configuration}: the configuration as a tree that the administrator reads and changes
 * while Stoa runs.
 *
 * <p>It must not know what a key does: keys, their forms and their rules are those of the
 * configuration file. Entry classes: {@link io.stoa.server.tuning.Tuning}, one for the process, and
 * {@link io.stoa.server.tuning.ConfigurationStage}, one for each event loop. Changes are made one
 * after the other, on a thread of their own.
 */
@NullMarked
package io.stoa.server.tuning;

import org.jspecify.annotations.NullMarked;
