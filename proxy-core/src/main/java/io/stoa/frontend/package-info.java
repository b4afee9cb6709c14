// SPDX-License-Identifier: Apache-2.0
/**
 * Listeners and client connections. Knows who a client is and what it has in flight; what becomes
 * of an operation is the chain's business. Entry class: {@link io.stoa.frontend.Frontend}; a client
 * connection belongs to one event loop.
 */
@NullMarked
package io.stoa.frontend;

import org.jspecify.annotations.NullMarked;
