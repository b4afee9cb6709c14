// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import io.stoa.match.AttributeSelection;

/**
 * One entry as one search returned it. Immutable.
 *
 * @param selection what was asked for, and for which the read is therefore complete
 * @param op the SearchResultEntry as it was returned
 * @param epoch the epoch in which the search was sent
 * @param sentNanos when the search was sent: the entry is at least as new as this
 */
record EntryRead(AttributeSelection selection, byte[] op, long epoch, long sentNanos) {}
