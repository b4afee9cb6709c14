// SPDX-License-Identifier: Apache-2.0
/**
 * The vocabulary of RFC 4511 as immutable values, and the BER it is written in.
 *
 * <p>Knows nothing of channels, connections, caches or directories: it turns octets into values and
 * values into octets. Entry classes: {@link io.stoa.ldap.LdapMessage} (one message with an opaque
 * body), {@link io.stoa.ldap.RequestDecoder} (the body of a request, validated) and {@link
 * io.stoa.ldap.Envelope} (a message around a body).
 *
 * <p>Threads: everything is immutable or confined to the thread that uses it; only {@code
 * LdapMessage} holds a reference-counted buffer, and it belongs to one owner at a time.
 */
@NullMarked
package io.stoa.ldap;

import org.jspecify.annotations.NullMarked;
