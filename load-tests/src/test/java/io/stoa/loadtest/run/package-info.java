// SPDX-License-Identifier: Apache-2.0
/**
 * What an experiment needs: directories, Stoa from its distribution, a server that answers at once,
 * phases that Gatling drives, and tables and charts of what came out. It knows no experiment.
 * Entry: {@link io.stoa.loadtest.run.Bench}. An experiment is one thread; Gatling's are behind
 * {@link io.stoa.loadtest.run.Phase}.
 */
@NullMarked
package io.stoa.loadtest.run;

import org.jspecify.annotations.NullMarked;
