// SPDX-License-Identifier: Apache-2.0
/**
 * LDAP as values: BER, messages, names, schema, filters and change sequence numbers (RFC 4511 to
 * RFC 4518).
 *
 * <p>Everything here turns octets into values and values into octets. It decides when two requests
 * must be answered alike, and whether an entry matches a filter, as far as the schema of the
 * directory proves it.
 *
 * <p>Start reading at {@link io.stoa.ldap.protocol.LdapMessage}, then {@link
 * io.stoa.ldap.filter.QueryNormalizer} and {@link io.stoa.ldap.filter.Query}.
 *
 * <p>Does not know: channels, connections, clients, caches, servers. It does no I/O.
 *
 * <p>Threads: values are immutable and may be shared. Only {@code LdapMessage} holds a
 * reference-counted buffer, which has one owner at a time.
 */
@NullMarked
package io.stoa.ldap;

import org.jspecify.annotations.NullMarked;
