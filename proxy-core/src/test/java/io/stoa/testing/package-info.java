// SPDX-License-Identifier: Apache-2.0
/**
 * Fixtures that the tests of all modules share: real and scripted directories ({@link
 * io.stoa.testing.Slapd}, {@link io.stoa.testing.InMemoryDirectory}, {@link
 * io.stoa.testing.ScriptedUpstream}), and a client that sends and reads exact octets ({@link
 * io.stoa.testing.RawLdapClient}). It must not know anything of the proxy's inside but its status.
 */
@NullMarked
package io.stoa.testing;

import org.jspecify.annotations.NullMarked;
