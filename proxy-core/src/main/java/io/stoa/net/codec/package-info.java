// SPDX-License-Identifier: Apache-2.0
/**
 * Netty handlers between octets and LDAP messages: framing, limits, and writes that are flushed
 * once in each turn of the loop.
 *
 * <p>Entry classes: {@link io.stoa.net.codec.LdapFrameDecoder} and {@link
 * io.stoa.net.codec.MessageWriter}. Each handler is confined to the event loop of its channel.
 */
@NullMarked
package io.stoa.net.codec;

import org.jspecify.annotations.NullMarked;
