// SPDX-License-Identifier: Apache-2.0
/**
 * Operations that wait for a connection: their order, and how many may wait.
 *
 * <p>Entry class: {@link io.stoa.upstream.admission.FairQueue}. A queue belongs to one event loop;
 * the bound is shared by all.
 */
@NullMarked
package io.stoa.upstream.admission;

import org.jspecify.annotations.NullMarked;
