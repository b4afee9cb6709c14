// SPDX-License-Identifier: Apache-2.0
/**
 * What follows from changes that no feed tells: what a directory derives from other entries, and
 * who may see what. Whatever follows moves a {@link io.stoa.derive.Horizon}: what was read before
 * does not count any more. Entry classes: {@link io.stoa.derive.ChangeRules}, confined to the
 * thread that applies changes, {@link io.stoa.derive.RightsWatch} and {@link
 * io.stoa.derive.AliasWatch}, thread-safe.
 */
@NullMarked
package io.stoa.derive;

import org.jspecify.annotations.NullMarked;
