// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to servers with the account of a feed, made by the LDAP SDK. Each step has a
 * deadline.
 *
 * <p>Entry class: {@link io.stoa.feed.connection.SdkLink}.
 */
@NullMarked
package io.stoa.feed.connection;

import org.jspecify.annotations.NullMarked;
