// SPDX-License-Identifier: Apache-2.0
/**
 * Proxied authorization (RFC 4370): the account as which Stoa binds, the control that names the
 * client in each request, and who a peer of Stoa's own is to the directory. Knows nothing of
 * connections and operations. Entry classes: {@link io.stoa.identity.IdentityConfig}, {@link
 * io.stoa.identity.ServiceAccount}, {@link io.stoa.identity.ProxiedControl}. No threads of its own.
 */
@NullMarked
package io.stoa.identity;

import org.jspecify.annotations.NullMarked;
