// SPDX-License-Identifier: Apache-2.0
/**
 * Operations that wait for a connection: their order and their limit.
 *
 * <p>Start reading at {@link io.stoa.upstream.admission.FairQueue}.
 *
 * <p>Threading: a queue belongs to one event loop; the limit is shared by all.
 */
@NullMarked
package io.stoa.upstream.admission;

import org.jspecify.annotations.NullMarked;
