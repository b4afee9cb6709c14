// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to servers as the account of a feed, by the LDAP SDK, each step with a deadline.
 *
 * <p>Entry class: {@link io.stoa.feed.connection.SdkLink}.
 */
@NullMarked
package io.stoa.feed.connection;

import org.jspecify.annotations.NullMarked;
