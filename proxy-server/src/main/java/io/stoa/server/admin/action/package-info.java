// SPDX-License-Identifier: Apache-2.0
/**
 * Actions on entries of the proxy's own trees. A Modify request names a verb, and is answered when
 * the action is done.
 *
 * <p>Does not know the entries, nor the effect of a verb. Entry class: {@link
 * io.stoa.server.admin.action.Actions}, one for the process.
 *
 * <p>Threads: actions run one after the other, on a thread of their own.
 */
@NullMarked
package io.stoa.server.admin.action;

import org.jspecify.annotations.NullMarked;
