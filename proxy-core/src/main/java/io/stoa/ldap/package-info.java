// SPDX-License-Identifier: Apache-2.0
/**
 * LDAP as values: BER, messages, names, schema, filters and change sequence numbers (RFC 4511 to
 * RFC 4518).
 *
 * <p>Everything here turns octets into values and values into octets. The classes decide if two
 * requests must have the same answer, and if an entry matches a filter. Both decisions rest only on
 * facts that the schema of the directory proves.
 *
 * <p>Start reading at {@link io.stoa.ldap.protocol.LdapMessage}, then {@link
 * io.stoa.ldap.filter.QueryNormalizer} and {@link io.stoa.ldap.filter.Query}.
 *
 * <p>Does not know: channels, connections, clients, caches, servers. There is no I/O here.
 *
 * <p>Threads: values are immutable and may be shared. Only {@code LdapMessage} holds a
 * reference-counted buffer, which has one owner at a time.
 */
@NullMarked
package io.stoa.ldap;

import org.jspecify.annotations.NullMarked;
