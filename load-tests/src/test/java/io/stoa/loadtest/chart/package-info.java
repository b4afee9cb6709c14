// SPDX-License-Identifier: Apache-2.0
/**
 * Charts of results: their data, the file that keeps the data, and the drawing by JFreeChart.
 *
 * <p>Does not know any experiment. Entry classes: {@link io.stoa.loadtest.chart.Chart} for an
 * experiment, {@link io.stoa.loadtest.chart.DrawCharts} for the command.
 *
 * <p>Threads: none of its own.
 */
@NullMarked
package io.stoa.loadtest.chart;

import org.jspecify.annotations.NullMarked;
