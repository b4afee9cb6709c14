// SPDX-License-Identifier: Apache-2.0
/**
 * Finds servers by DNS, and reads what a directory says of itself: schema, naming contexts,
 * product.
 */
@NullMarked
package io.stoa.proxy.discovery;

import org.jspecify.annotations.NullMarked;
