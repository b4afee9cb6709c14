// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration file: reads it with the place of every mistake, and describes its keys.
 *
 * <p>Each key is described once, in {@link io.stoa.server.config.ConfigKeys}; the reader, {@code
 * print-defaults} and the documentation follow from that. The rules that values must keep stay with
 * the records of the packages that they configure. The package must not know what the process does
 * with a configuration. Entry class: {@link io.stoa.server.config.ConfigReader}. Everything is
 * immutable or confined to the call.
 */
@NullMarked
package io.stoa.server.config;

import org.jspecify.annotations.NullMarked;
