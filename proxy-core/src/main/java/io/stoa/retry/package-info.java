// SPDX-License-Identifier: Apache-2.0
/**
 * How often what has failed is tried again. Entry class: {@link io.stoa.retry.Backoff},
 * thread-confined.
 */
@NullMarked
package io.stoa.retry;

import org.jspecify.annotations.NullMarked;
