// SPDX-License-Identifier: Apache-2.0
/**
 * What looks after the caches: what is used a lot is asked for again before a client has to wait
 * for it, and what rests on a feed is compared with the directory now and then. All of it is asked
 * as a client that is connected, and never with a password that is kept for that. Entry class:
 * {@link io.stoa.upkeep.Upkeep}, thread-safe; the rest is confined to event loops or thread-safe.
 */
@NullMarked
package io.stoa.upkeep;

import org.jspecify.annotations.NullMarked;
