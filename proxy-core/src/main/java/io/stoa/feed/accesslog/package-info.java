// SPDX-License-Identifier: Apache-2.0
/**
 * The accesslog of OpenLDAP as a feed: a sync search reports its records, and the changed entries
 * are read.
 *
 * <p>Entry class: {@link io.stoa.feed.accesslog.LogOrigin}.
 */
@NullMarked
package io.stoa.feed.accesslog;

import org.jspecify.annotations.NullMarked;
