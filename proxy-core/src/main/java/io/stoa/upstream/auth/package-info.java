// SPDX-License-Identifier: Apache-2.0
/**
 * Identities of operations at a server: the service account, proxied authorization (RFC 4370),
 * clients' own binds, session tracking.
 *
 * <p>Start reading at {@link io.stoa.upstream.auth.IdentityConfig} and {@link
 * io.stoa.upstream.auth.ProxiedControl}.
 */
@NullMarked
package io.stoa.upstream.auth;

import org.jspecify.annotations.NullMarked;
