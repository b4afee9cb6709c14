// SPDX-License-Identifier: Apache-2.0
/**
 * What values keys of the configuration file take: how they are read and printed. It must not know
 * of files or keys. Everything is immutable.
 */
@NullMarked
package io.stoa.server.config.value;

import org.jspecify.annotations.NullMarked;
