// SPDX-License-Identifier: Apache-2.0
/**
 * The root DSE as the proxy's clients see it: features that the proxy does not pass are not
 * advertised.
 *
 * <p>Entry class: {@link io.stoa.client.rootdse.RootDseStage}.
 *
 * <p>Threading: event loop.
 */
@NullMarked
package io.stoa.client.rootdse;

import org.jspecify.annotations.NullMarked;
