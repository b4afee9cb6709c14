// SPDX-License-Identifier: Apache-2.0
/**
 * Change sequence numbers and the replication positions of servers.
 *
 * <p>Entry classes: {@link io.stoa.ldap.csn.Csn} and {@link io.stoa.ldap.csn.Position}. Immutable.
 */
@NullMarked
package io.stoa.ldap.csn;

import org.jspecify.annotations.NullMarked;
