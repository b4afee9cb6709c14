// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration file: reads it, reports each mistake with its line, and describes its keys.
 *
 * <p>Each key is described once, in {@link io.stoa.server.config.ConfigKeys}. The reader, {@code
 * print-defaults}, {@code print-schema} and the documentation follow from that description. The
 * rules for values are in the records of the packages that they configure.
 *
 * <p>Does not know the use of a configuration. Entry class: {@link
 * io.stoa.server.config.ConfigReader}.
 *
 * <p>Threads: everything is immutable or confined to the call.
 */
@NullMarked
package io.stoa.server.config;

import org.jspecify.annotations.NullMarked;
