// SPDX-License-Identifier: Apache-2.0
/**
 * Which identities share stored results, and the verification that the directory answers them
 * alike.
 *
 * <p>Entry class: {@link io.stoa.cache.sharing.ClassTable}, thread-safe.
 */
@NullMarked
package io.stoa.cache.sharing;

import org.jspecify.annotations.NullMarked;
