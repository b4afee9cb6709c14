// SPDX-License-Identifier: Apache-2.0
/**
 * How answers look: JSON, tables, numbers for people, and nothing that could move a terminal's
 * cursor.
 *
 * <p>It must not know where the answers come from. Entry classes: {@link
 * io.stoa.cli.output.Report}, {@link io.stoa.cli.output.Table}. Used by the one thread of a
 * command.
 */
@NullMarked
package io.stoa.cli.output;

import org.jspecify.annotations.NullMarked;
