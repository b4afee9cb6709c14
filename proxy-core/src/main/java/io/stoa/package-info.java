// SPDX-License-Identifier: Apache-2.0
/**
 * The proxy as a whole: its configuration, its state, and the one place where its parts meet. Entry
 * class: {@link io.stoa.Proxy}.
 */
@NullMarked
package io.stoa;

import org.jspecify.annotations.NullMarked;
