// SPDX-License-Identifier: Apache-2.0
/**
 * Transactions of a server: the last change of each entry, and when the transaction of a change is
 * over.
 *
 * <p>Entry class: {@link io.stoa.feed.transaction.CommitTracker}, confined to the thread that
 * applies changes, except for one query.
 */
@NullMarked
package io.stoa.feed.transaction;

import org.jspecify.annotations.NullMarked;
