// SPDX-License-Identifier: Apache-2.0
/**
 * Sharing of stored results between identities, and the verification that the directory answers
 * these identities alike.
 *
 * <p>Entry class: {@link io.stoa.cache.sharing.ClassTable}, thread-safe.
 */
@NullMarked
package io.stoa.cache.sharing;

import org.jspecify.annotations.NullMarked;
