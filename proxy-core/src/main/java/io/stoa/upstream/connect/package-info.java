// SPDX-License-Identifier: Apache-2.0
/**
 * Opens connections to servers until LDAP can start: socket, PROXY header, TLS.
 *
 * <p>Start reading at {@link io.stoa.upstream.connect.Dialer}.
 *
 * <p>Threading: event loop.
 */
@NullMarked
package io.stoa.upstream.connect;

import org.jspecify.annotations.NullMarked;
