// SPDX-License-Identifier: Apache-2.0
/**
 * The messages of RFC 4511 and their encoding in BER.
 *
 * <p>Entry classes: {@link io.stoa.ldap.protocol.LdapMessage} (one message with an opaque body),
 * {@link io.stoa.ldap.protocol.RequestDecoder} (the body of a request, validated) and {@link
 * io.stoa.ldap.protocol.Envelope} (a message around a body).
 */
@NullMarked
package io.stoa.ldap.protocol;

import org.jspecify.annotations.NullMarked;
