// SPDX-License-Identifier: Apache-2.0
/**
 * Types of the values of configuration keys: how they are parsed and printed, and their JSON
 * Schema.
 *
 * <p>Does not know files or keys.
 *
 * <p>Threads: everything is immutable.
 */
@NullMarked
package io.stoa.server.config.value;

import org.jspecify.annotations.NullMarked;
