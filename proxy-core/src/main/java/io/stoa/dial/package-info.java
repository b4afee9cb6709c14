// SPDX-License-Identifier: Apache-2.0
/**
 * Makes connections to directory servers, up to where LDAP may be spoken: the socket, what goes
 * before LDAP on it, and TLS. Knows nothing of operations, or of what a connection is for. Entry
 * class: {@link io.stoa.dial.Dialer}; everything here belongs to one event loop.
 */
@NullMarked
package io.stoa.dial;

import org.jspecify.annotations.NullMarked;
