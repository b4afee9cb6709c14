// SPDX-License-Identifier: Apache-2.0
/**
 * What entries of Stoa's own trees can be told to do, and how that is done: a Modify request names
 * a verb, and is answered when it is done.
 *
 * <p>It must not know which entries there are, nor what a verb does. Entry class: {@link
 * io.stoa.server.action.Actions}, one for the process. Actions are done one after the other, on a
 * thread of their own.
 */
@NullMarked
package io.stoa.server.action;

import org.jspecify.annotations.NullMarked;
