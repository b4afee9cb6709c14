// SPDX-License-Identifier: Apache-2.0
/**
 * Octets and sockets: framing, flushing, TLS, transports, peers and the PROXY protocol.
 *
 * <p>The handlers here cut a stream of octets into LDAP messages, and bound their size before
 * memory is taken. Writes of one turn of an event loop are gathered into one system call.
 *
 * <p>Start reading at {@link io.stoa.net.codec.LdapFrameDecoder}, then {@link
 * io.stoa.net.codec.MessageWriter} and {@link io.stoa.net.tls.TlsContext}.
 *
 * <p>Does not know: the meaning of a message, its client, its server.
 *
 * <p>Threads: each handler is confined to the event loop of its channel. Contexts of TLS and values
 * are thread-safe.
 */
@NullMarked
package io.stoa.net;

import org.jspecify.annotations.NullMarked;
