// SPDX-License-Identifier: Apache-2.0
/**
 * The experiments, each as a class with its servers, its requests, and its table beside the
 * published one.
 *
 * <p>Sizes differ from the published ones; further differences are noted with each experiment.
 * Entry class: {@link io.stoa.loadtest.simulation.Experiments}.
 */
@NullMarked
package io.stoa.loadtest.simulation;

import org.jspecify.annotations.NullMarked;
