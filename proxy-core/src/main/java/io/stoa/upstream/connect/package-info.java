// SPDX-License-Identifier: Apache-2.0
/**
 * Makes connections to servers up to where LDAP may be spoken: the socket, the PROXY header, TLS.
 *
 * <p>Entry class: {@link io.stoa.upstream.connect.Dialer}. Event-loop confined.
 */
@NullMarked
package io.stoa.upstream.connect;

import org.jspecify.annotations.NullMarked;
