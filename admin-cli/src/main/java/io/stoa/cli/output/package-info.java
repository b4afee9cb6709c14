// SPDX-License-Identifier: Apache-2.0
/**
 * The output of commands: JSON, tables and formatted numbers, without characters that could move a
 * terminal's cursor.
 *
 * <p>Does not know the origin of the values. Entry classes: {@link io.stoa.cli.output.Report},
 * {@link io.stoa.cli.output.TextTable}.
 *
 * <p>Threads: the one thread of a command.
 */
@NullMarked
package io.stoa.cli.output;

import org.jspecify.annotations.NullMarked;
