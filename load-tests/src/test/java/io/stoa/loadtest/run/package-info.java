// SPDX-License-Identifier: Apache-2.0
/**
 * The tools of an experiment: directories, Stoa from its distribution, a server that answers at
 * once, phases that Gatling drives, and the report of the results.
 *
 * <p>Does not know any experiment. Entry class: {@link io.stoa.loadtest.run.Bench}.
 *
 * <p>Threads: an experiment runs on one thread; Gatling's are behind {@link
 * io.stoa.loadtest.run.Phase}.
 */
@NullMarked
package io.stoa.loadtest.run;

import org.jspecify.annotations.NullMarked;
