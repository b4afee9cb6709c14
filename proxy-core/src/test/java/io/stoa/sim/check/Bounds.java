// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

/**
 * What was promised. Immutable.
 *
 * @param maxAge so old may be what memory answers, in nanoseconds
 * @param alone whether there is one server, so that whoever asks after a write was answered is
 *     shown it, whosever it was
 */
public record Bounds(long maxAge, boolean alone) {}
