// SPDX-License-Identifier: Apache-2.0
/**
 * Normal forms of requests, and the evaluation of filters on entries as the directory itself would
 * do it (RFC 4511, section 4.5.1.7).
 *
 * <p>UNKNOWN is always a correct result; a wrong TRUE or FALSE never is. An unknown rule, value or
 * attribute type yields UNKNOWN. Entry classes: {@link io.stoa.ldap.filter.QueryNormalizer} (keys
 * of requests), {@link io.stoa.ldap.filter.Query} and {@link io.stoa.ldap.filter.Image}. Immutable.
 */
@NullMarked
package io.stoa.ldap.filter;

import org.jspecify.annotations.NullMarked;
