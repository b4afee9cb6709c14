// SPDX-License-Identifier: Apache-2.0
/**
 * Octets of a connection to LDAP messages, as Netty handlers.
 *
 * <p>Knows framing and limits, not what a message means or who sent it. Entry class: {@link
 * io.stoa.codec.LdapFrameDecoder}. Messages are written with {@link io.stoa.ldap.Envelope} by those
 * who send them.
 *
 * <p>Threads: every handler is confined to the event loop of its channel.
 */
@NullMarked
package io.stoa.codec;

import org.jspecify.annotations.NullMarked;
