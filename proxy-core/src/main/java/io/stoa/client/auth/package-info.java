// SPDX-License-Identifier: Apache-2.0
/**
 * Authentication of clients: binds that Stoa itself answers, SASL exchanges, and SASL EXTERNAL (RFC
 * 4513).
 *
 * <p>Entry classes: {@link io.stoa.client.auth.ExternalBind} and {@link
 * io.stoa.client.auth.SaslExchange}. State of a client is confined to its event loop.
 */
@NullMarked
package io.stoa.client.auth;

import org.jspecify.annotations.NullMarked;
