// SPDX-License-Identifier: Apache-2.0
/**
 * Who is who to the directory. Proxied authorization (RFC 4370): the account as which Stoa binds,
 * and the control that names the client in each request. SASL: which mechanisms may pass, where a
 * client's bind is, and what the directory says of whoever has bound so. Knows nothing of
 * connections. Entry classes: {@link io.stoa.identity.IdentityConfig}, {@link
 * io.stoa.identity.ServiceAccount}, {@link io.stoa.identity.ProxiedControl}, {@link
 * io.stoa.identity.SaslMechanism}, {@link io.stoa.identity.Negotiation}. No threads of its own;
 * what belongs to a client is confined to its event loop.
 */
@NullMarked
package io.stoa.identity;

import org.jspecify.annotations.NullMarked;
