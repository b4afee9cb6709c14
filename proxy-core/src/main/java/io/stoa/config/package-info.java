// SPDX-License-Identifier: Apache-2.0
/**
 * Rules of the configuration records: how a broken rule names the settings that break it.
 *
 * <p>Entry class: {@link io.stoa.config.InvalidConfigException}, immutable.
 */
@NullMarked
package io.stoa.config;

import org.jspecify.annotations.NullMarked;
