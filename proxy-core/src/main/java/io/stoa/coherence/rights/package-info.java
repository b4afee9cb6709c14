// SPDX-License-Identifier: Apache-2.0
/**
 * Attributes and rights that follow from other entries: groups, access rules, aliases. A change of
 * these moves a watermark, and results that were read before do not count any more.
 *
 * <p>Entry classes: {@link io.stoa.coherence.rights.ChangeRules}, confined to the thread that
 * applies changes, and {@link io.stoa.coherence.rights.RightsWatch}, thread-safe.
 */
@NullMarked
package io.stoa.coherence.rights;

import org.jspecify.annotations.NullMarked;
