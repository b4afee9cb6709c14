// SPDX-License-Identifier: Apache-2.0
/**
 * What happened upstream. Knows neither who reports a change nor who cares. Entry class: {@link
 * io.stoa.change.ChangeListener} for what was done through Stoa, called on the event loop on which
 * the change was answered.
 */
@NullMarked
package io.stoa.change;

import org.jspecify.annotations.NullMarked;
