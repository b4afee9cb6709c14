// SPDX-License-Identifier: Apache-2.0
/**
 * Where and how clients get to Stoa: the listeners and what they demand, the PROXY protocol, and
 * the relay for those whose TLS ends at the directory. Knows nothing of LDAP. Entry classes: {@link
 * io.stoa.listen.AccessConfig} and {@link io.stoa.listen.Listeners}; what belongs to a connection
 * is confined to its event loop.
 */
@NullMarked
package io.stoa.listen;

import org.jspecify.annotations.NullMarked;
