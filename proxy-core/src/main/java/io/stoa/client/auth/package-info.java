// SPDX-License-Identifier: Apache-2.0
/**
 * Authentication of clients: simple binds that are kept for a rebind, SASL exchanges, and SASL
 * EXTERNAL (RFC 4513).
 *
 * <p>Entry classes: {@link io.stoa.client.auth.ExternalBind} and {@link
 * io.stoa.client.auth.SaslExchange}. What belongs to a client is confined to its event loop.
 */
@NullMarked
package io.stoa.client.auth;

import org.jspecify.annotations.NullMarked;
