// SPDX-License-Identifier: Apache-2.0
/**
 * An LDAP protocol for Gatling: connections on the event loops of the virtual users, requests that
 * never block one and always have an end, and their latencies in microseconds. All that touches
 * Gatling's internals is in here, so that another version of it changes this package only. It knows
 * nothing of Stoa, nor of what is measured. Entry: {@link io.stoa.loadtest.engine.LdapProtocol}.
 */
@NullMarked
package io.stoa.loadtest.engine;

import org.jspecify.annotations.NullMarked;
