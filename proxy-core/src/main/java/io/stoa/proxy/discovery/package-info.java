// SPDX-License-Identifier: Apache-2.0
/**
 * Finds servers by DNS, and reads how a directory describes itself: schema, naming contexts,
 * product.
 */
@NullMarked
package io.stoa.proxy.discovery;

import org.jspecify.annotations.NullMarked;
