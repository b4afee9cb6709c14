// SPDX-License-Identifier: Apache-2.0
/**
 * The root DSE as the proxy's clients see it: what the proxy does not pass is not advertised.
 *
 * <p>Entry class: {@link io.stoa.client.rootdse.RootDseStage}. Event-loop confined.
 */
@NullMarked
package io.stoa.client.rootdse;

import org.jspecify.annotations.NullMarked;
