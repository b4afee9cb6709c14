// SPDX-License-Identifier: Apache-2.0
/**
 * Refresh-ahead and audit: popular results are read again before they expire, and results that a
 * feed holds are compared with the directory.
 *
 * <p>Entry class: {@link io.stoa.cache.maintenance.CacheMaintenance}, thread-safe.
 */
@NullMarked
package io.stoa.cache.maintenance;

import org.jspecify.annotations.NullMarked;
