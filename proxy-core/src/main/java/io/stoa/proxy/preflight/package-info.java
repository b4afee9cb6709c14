// SPDX-License-Identifier: Apache-2.0
/**
 * Checks before a start: connects to the directory servers as a proxy would, and reports findings
 * with remedies. No client is accepted.
 *
 * <p>Entry class: {@link io.stoa.proxy.preflight.Preflight}.
 */
@NullMarked
package io.stoa.proxy.preflight;

import org.jspecify.annotations.NullMarked;
