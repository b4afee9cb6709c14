// SPDX-License-Identifier: Apache-2.0
/**
 * Where a client comes from, and what its connection proves of it. Knows neither sockets nor LDAP.
 * Entry class: {@link io.stoa.origin.Peer}; everything here is immutable.
 */
@NullMarked
package io.stoa.origin;

import org.jspecify.annotations.NullMarked;
