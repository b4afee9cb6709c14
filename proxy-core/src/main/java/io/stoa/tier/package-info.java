// SPDX-License-Identifier: Apache-2.0
/**
 * How operations are spread over directory servers. Knows servers, but neither connections nor
 * operations. Entry class: {@link io.stoa.tier.Tier}; shared by all event loops.
 */
@NullMarked
package io.stoa.tier;

import org.jspecify.annotations.NullMarked;
