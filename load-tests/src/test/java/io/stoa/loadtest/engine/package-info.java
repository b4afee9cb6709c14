// SPDX-License-Identifier: Apache-2.0
/**
 * An LDAP protocol for Gatling: connections on the event loops of the virtual users, non-blocking
 * requests that always end, and their latencies in microseconds.
 *
 * <p>Everything that depends on Gatling's internals is here, so that a new version of Gatling
 * changes this package only. Does not know Stoa or the experiments. Entry class: {@link
 * io.stoa.loadtest.engine.LdapProtocol}.
 */
@NullMarked
package io.stoa.loadtest.engine;

import org.jspecify.annotations.NullMarked;
