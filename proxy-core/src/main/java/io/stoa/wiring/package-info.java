// SPDX-License-Identifier: Apache-2.0
/**
 * Puts feeds, leases and realms together for each naming context of a directory. Entry class:
 * {@link io.stoa.wiring.Feeds}, which any thread may use.
 */
@NullMarked
package io.stoa.wiring;

import org.jspecify.annotations.NullMarked;
