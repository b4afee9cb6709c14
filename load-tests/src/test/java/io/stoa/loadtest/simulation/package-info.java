// SPDX-License-Identifier: Apache-2.0
/**
 * The experiments, each as a class: what it starts, what its users do, and its table beside the
 * published one. They differ from what was published in size, and each says in what else. Entry:
 * {@link io.stoa.loadtest.simulation.Experiments}.
 */
@NullMarked
package io.stoa.loadtest.simulation;

import org.jspecify.annotations.NullMarked;
