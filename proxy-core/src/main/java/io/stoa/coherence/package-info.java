// SPDX-License-Identifier: Apache-2.0
/**
 * What sessions may rely on while servers lag behind each other: how far each server has got, which
 * changes it may lack, and whom these concern. Knows servers only as objects that are compared by
 * identity, and neither connections nor caches. Entry class: {@link io.stoa.coherence.Consistency},
 * shared by all event loops.
 */
@NullMarked
package io.stoa.coherence;

import org.jspecify.annotations.NullMarked;
